import { describe, expect, test } from '@jest/globals';
import { ProtobufWriter } from '../../../platform/telemetry/protobuf-writer.ts';

/** The value of the only field that `write` writes, 64 bits behind a tag of one byte. */
function fixed64Of(write: (writer: ProtobufWriter) => void): bigint {
  const writer = new ProtobufWriter(16);
  write(writer);
  return writer.bytes().readBigUInt64LE(1);
}

describe('64 bits', () => {
  test.each([0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 3, Number.MAX_SAFE_INTEGER])(
    'of the number %d are written exactly',
    (value) => {
      expect(fixed64Of((writer) => writer.fixed64(1, value))).toBe(BigInt(value));
    },
  );
});

describe('a time', () => {
  const FRACTIONS = [0, 0.25, 0.5, 0.999];
  const moments = [
    0,
    1,
    65_535,
    65_536,
    65_537,
    2 ** 32 - 1,
    2 ** 32,
    Date.UTC(2026, 0, 1),
    Date.UTC(2106, 1, 7),
    9_223_372_036_854,
  ];

  test.each(moments)('of %d ms, and with fractions of one, is written as exact nanoseconds', (whole) => {
    for (const fraction of FRACTIONS) {
      const milliseconds = whole + fraction;
      const nanoseconds = BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6));
      expect(fixed64Of((writer) => writer.time(1, milliseconds))).toBe(nanoseconds);
    }
  });
});
