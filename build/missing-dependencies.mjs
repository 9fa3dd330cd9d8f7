/** Something has to be built, and the development dependencies that build it are not installed. */
export class MissingDependencies extends Error {
  /** @param {string} state what is missing or not current, such as `the console is not current` */
  constructor(state) {
    // Without the option npm leaves them out where NODE_ENV is production.
    super(`${state}, and the development dependencies are not installed: run "npm ci --include=dev"`);
    this.name = 'MissingDependencies';
  }
}
