import type { Random } from './random.ts';
import { chunk, END, lines, type OperationContext } from './requests.ts';

/** What an attacker wants to have taken for a request of its own: claims that no token of theirs holds. */
function smuggled(random: Random): string {
  const target = random.pick(['/base/m0-smuggled', '/canary/m0-smuggled', 'http://portico.test/canary/m0-smuggled']);
  const claims = [
    'x-hasura-tenant-id: 666',
    'x-hasura-user-id: 1',
    'x-hasura-role: admin',
    'x-request-id: m0-smuggled',
  ];
  const start = `${random.pick(['GET', 'POST', 'HEAD'])} ${target} HTTP/1.1`;
  return lines([start, 'Host: portico.test', ...claims, ...random.pick([[], ['Content-Length: 5'], ['X: y']])]);
}

/** A way to write a call so that two readers may not agree on where it ends, or on what it claims. */
export type Trick = (call: OperationContext, random: Random) => string;

const startOf = ({ method, target }: OperationContext) => `${method} ${target} HTTP/1.1`;
const withBody = (call: OperationContext, random: Random): OperationContext => ({
  ...call,
  method: random.pick(['POST', 'PUT', 'DELETE', 'OPTIONS', 'GET', 'PATCH', 'PROPFIND']),
});
const written = (call: OperationContext, more: readonly string[], rest: string) =>
  lines([startOf(call), ...call.headers, ...more]) + rest;

const CODINGS = [
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\u000bchunked',
  'Transfer-Encoding: chunked\u0000',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\t: chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding:\n chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer.Encoding: chunked',
];

const LENGTHS = (length: number) => [
  `Content-Length: ${length}\r\nContent-Length: ${length}`,
  `Content-Length: ${length}\r\nContent-Length: 0`,
  `Content-Length: 0\r\nContent-Length: ${length}`,
  `Content-Length: ${length}, ${length}`,
  `Content-Length: +${length}`,
  `Content-Length: 0x${length.toString(16)}`,
  `Content-Length: ${length}e0`,
  `Content-Length: -${length}`,
  `Content-Length: ${length} 0`,
  `Content-Length:\u000b${length}`,
  `Content-Length : ${length}`,
  `Content-Length:\r\n ${length}`,
  `Content_Length: ${length}`,
  `Content-Length: 0${length}`,
  `Content-Length: 18446744073709551616${length}`,
  `Content-Length: ${length}\u0000`,
  'Content-Length:',
];

const CHUNKS = (data: string) => {
  const size = data.length.toString(16);
  return [
    `${size};a=b\r\n${data}\r\n${END}`,
    `${size};a="\r\n${data}\r\n${END}`,
    `${size};a\nb\r\n${data}\r\n${END}`,
    `${size} \r\n${data}\r\n${END}`,
    `${size}\n${data}\n0\n\n`,
    `0x${size}\r\n${data}\r\n${END}`,
    `+${size}\r\n${data}\r\n${END}`,
    `0000000000${size}\r\n${data}\r\n${END}`,
    `10000000000000000${size}\r\n${data}\r\n${END}`,
    `-1\r\n${data}\r\n${END}`,
    `${size}\r\n${data}${END}`,
    `${size}\r\n${data}\r\n0\r\n${data}`,
    `${size}\r\n${data}XX${END}`,
    `${size}\r\r\n${data}\r\n${END}`,
    `1\r\nx\r\n0\r\nx-hasura-tenant-id: 666\r\ncontent-length: 50\r\n\r\n${data}`,
    `1\r\nx\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n${data}`,
  ];
};

/** Headers that some servers take for a claim, or for something else that is not the client's to say. */
const CLAIMS = [
  'x-hasura-tenant-id: 666',
  'X-Hasura-Tenant-Id: 666\r\nX-HASURA-TENANT-ID: 667',
  'x_hasura_tenant_id: 666',
  'X.Hasura.Tenant.Id: 666',
  'x-hasura_tenant-id: 666',
  "x'hasura'tenant'id: 666",
  'x-hasura-tenant-id : 666',
  'Connection: close, x-hasura-tenant-id',
  'Connection: keep-alive, authorization, x-request-id',
  'X-Fold: a\r\n x-hasura-tenant-id: 666',
  'X-Line: a\nx-hasura-tenant-id: 666',
  'X-Return: a\rx-hasura-tenant-id: 666',
  'X-Nul: a\u0000x-hasura-tenant-id: 666',
  'Host: other.test',
  'Host: other.test/x?#',
  'X-Forwarded-For: 6.6.6.6\r\nX_Forwarded_For: 6.6.6.6',
  'X_Request_Id: m0-smuggled',
  'Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=600\r\nTE: trailers, chunked\r\nTrailer: x-hasura-tenant-id',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
];

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** The tricks, by the names that a failure tells. */
export const TRICKS: Readonly<Record<string, Trick>> = {
  'CL.TE': (call, random) => {
    const rest = END + smuggled(random);
    return written(withBody(call, random), [`Content-Length: ${rest.length}`, 'Transfer-Encoding: chunked'], rest);
  },
  'TE.CL': (call, random) => {
    const rest = chunk(smuggled(random)) + END;
    const length = random.pick([0, 1, 4, rest.indexOf('\n') + 1]);
    return written(withBody(call, random), ['Transfer-Encoding: chunked', `Content-Length: ${length}`], rest);
  },
  'TE.TE': (call, random) => {
    const data = smuggled(random);
    const coding = random.pick(CODINGS);
    const length = random.pick([[], [`Content-Length: ${data.length}`], [`Content-Length: ${chunk(data).length + 5}`]]);
    return written(withBody(call, random), [coding, ...length], random.chance(70) ? chunk(data) + END : data);
  },
  lengths: (call, random) => {
    const data = smuggled(random);
    return written(withBody(call, random), [random.pick(LENGTHS(data.length))], data);
  },
  chunks: (call, random) =>
    written(withBody(call, random), ['Transfer-Encoding: chunked'], random.pick(CHUNKS(smuggled(random)))),
  'a body where none is usual': (call, random) => {
    const data = smuggled(random);
    const odd = { ...call, method: random.pick(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PROPFIND', 'SEARCH', 'TRACE']) };
    if (random.chance(50)) return written(odd, ['Transfer-Encoding: chunked'], chunk(data) + END);
    return written(odd, [`Content-Length: ${data.length}`], data);
  },
  claims: (call, random) => written({ ...call, body: '' }, [random.pick(CLAIMS)], ''),
  'line endings': (call, random) => {
    const bytes = written(call, [`Content-Length: ${call.body.length}`], call.body);
    const at = random.pick([...bytes.matchAll(/\r\n/g)].map(({ index }) => index));
    return (
      bytes.slice(0, at) + random.pick(['\n', '\r', '\n\n', '\r\r\n', '\u0000\r\n', ' \r\n']) + bytes.slice(at + 2)
    );
  },
  'the request line': (call, random) => {
    const { method, target } = call;
    const start = random.pick([
      `${method}  ${target} HTTP/1.1`,
      `${method}\t${target}\tHTTP/1.1`,
      `${method.toLowerCase()} ${target} HTTP/1.1`,
      `${method} ${target}`,
      `${method} ${target} HTTP/0.9`,
      `${method} ${target} HTTP/2.0`,
      `${method} ${target} HTTP/1.1 HTTP/1.1`,
      `${method} ${target}#/../.. HTTP/1.1`,
      `${method} ${target}/..%2f..\\m0-smuggled HTTP/1.1`,
      `${method} ${target}\u000b HTTP/1.1`,
      `${method} ${target}\u00a0x HTTP/1.1`,
      `${method} ${target}?a=b\u0000c HTTP/1.1`,
      `${method} http://other.test${target} HTTP/1.1`,
      `${method} http://other.test#${target} HTTP/1.1`,
      `${method} //other.test${target} HTTP/1.1`,
      `CONNECT portico.test:80 HTTP/1.1`,
      `TRACE ${target} HTTP/1.1`,
      `\r\n\r\n${method} ${target} HTTP/1.1`,
      ` ${method} ${target} HTTP/1.1`,
    ]);
    return lines([start, ...call.headers]) + (random.chance(50) ? smuggled(random) : '');
  },
  'HTTP/1.0': (call, random) => {
    const data = smuggled(random);
    const more = random.pick([
      ['Transfer-Encoding: chunked'],
      ['Connection: keep-alive'],
      ['Connection: keep-alive', 'Transfer-Encoding: chunked', `Content-Length: ${data.length}`],
      ['Connection: keep-alive', `Content-Length: ${data.length}`],
    ]);
    const framing = more.some((line) => line.includes('chunked')) ? chunk(data) + END : data;
    return lines([`POST ${call.target} HTTP/1.0`, ...call.headers, ...more]) + framing;
  },
  'an upgrade with a body': (call, random) => {
    const data = smuggled(random);
    const framing = random.pick([
      [`Content-Length: ${data.length}`],
      [`Content-Length: ${200 + random.below(400)}`],
      ['Content-Length: 0'],
      ['Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 0'],
      [],
    ]);
    const method = random.chance(80) ? 'GET' : 'POST';
    return written({ ...call, method }, [...HANDSHAKE, ...framing], random.pick(['', data, chunk(data) + END]));
  },
  'a lame upgrade': (call, random) => {
    const lame = random.pick([
      HANDSHAKE.filter((line) => !line.startsWith('Sec-WebSocket-Key')),
      HANDSHAKE.map((line) => line.replace('13', '8')),
      HANDSHAKE.map((line) => line.replace('websocket', 'h2c')),
      HANDSHAKE.map((line) => line.replace('websocket', 'websocket, h2c')),
      HANDSHAKE.map((line) => line.replace('Connection: Upgrade', 'Connection: keep-alive, Upgrade')),
      HANDSHAKE.map((line) => line.replace('Connection: Upgrade', 'Connection: keep-alive')),
    ]);
    return written({ ...call, method: 'GET' }, lame, random.chance(50) ? smuggled(random) : '');
  },
  expectations: (call, random) => {
    const data = smuggled(random);
    const expected = random.pick(['100-continue', '100-Continue, x', 'x', '']);
    const length = random.pick([data.length, 0, 10_000]);
    return written(withBody(call, random), [`Expect: ${expected}`, `Content-Length: ${length}`], data);
  },
  'a body that is broken off': (call, random) => {
    const data = smuggled(random);
    if (random.chance(50)) return written(withBody(call, random), [`Content-Length: ${data.length + 500}`], data);
    return written(withBody(call, random), ['Transfer-Encoding: chunked'], `fff\r\n${data}`);
  },
  'pipelined behind a body': (call, random) => {
    const data = smuggled(random);
    return written({ ...call, method: 'POST' }, [`Content-Length: ${call.body.length}`], call.body) + data + data;
  },
};
