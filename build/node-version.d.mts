/** Why a version of Node cannot be used, given the range `engines.node` of package.json; undefined for one that can. */
export declare function nodeVersionProblem(version: string, range: string): string | undefined;
