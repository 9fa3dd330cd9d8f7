export const rest = {
  title: 'REST endpoints',
  lead: 'The endpoints that your role may use, and plain HTTP services behind the gateway. Every request carries your token.',
  endpoints: 'Endpoints',
  none: 'Your role may use no endpoint.',
  parameters: 'Parameters',
  body: 'Body (JSON)',
  send: 'Send',
  copyCurl: 'Copy as curl',
  answer: 'Answer',
  noAnswer: 'The answer appears here.',
  cut: (shown: number, all: number) =>
    `These are the first ${shown.toLocaleString('en')} of ${all.toLocaleString('en')} characters.`,
  copyAnswer: 'Copy the whole answer',
  any: {
    title: 'Any address',
    text: 'For pass-through services: a method and a path of this gateway.',
    method: 'Method',
    path: 'Path',
  },
  downloads: 'OpenAPI of your role',
  required: 'required',
} as const;
