import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { localPart } from '../../support/platform/platform-tests.ts'
import {
  answerTo,
  mebibyte,
  uploadServer,
  writeRepeatedly,
} from '../../support/platform/uploads.ts'

/** Mebibytes of earlier allocations that may still be freed during the test. */
const mebibytesReleased = 8

/** Returns the bytes in use after garbage collection. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('behaviour/platform#uploads: uploads stream in', () => {
  test('an upload of 64 MiB is never in memory twice, neither midway nor at the end', async () => {
    const { put, statusOf, id, platform: api, origin } = await uploadServer()
    const bytes = Buffer.from(Array.from({ length: mebibyte }, (_, index) => index % 251))
    const before = memory()
    const heldMebibytes = () => (memory() - before) / mebibyte
    const sent = put()
    await writeRepeatedly(sent, bytes, 32)
    // In base64, the bytes take four thirds of the memory. Some of them may still be in transit.
    expect(heldMebibytes()).toBeGreaterThan(32 - mebibytesReleased)
    expect(heldMebibytes()).toBeLessThan((32 * 4) / 3 + 20)
    await writeRepeatedly(sent, bytes, 32)
    sent.end()
    expect(await answerTo(sent)).toEqual({ status: 200, text: '' })
    expect(heldMebibytes()).toBeLessThan((64 * 4) / 3 + 20)
    expect(heldMebibytes()).toBeGreaterThan(64 - mebibytesReleased)
    expect(await statusOf()).toBe('uploaded')
    const { headers } = await api.get(`configuration-versions/${id}/download`)
    const response = await fetch(origin + localPart(String(headers['location'])))
    expect(response.headers.get('content-length')).toBe(String(64 * mebibyte))
    const received = createHash('sha256').update(Buffer.from(await response.arrayBuffer()))
    const expected = createHash('sha256')
    for (let count = 0; count < 64; count += 1) expected.update(bytes)
    expect(received.digest('hex')).toBe(expected.digest('hex'))
  })
})
