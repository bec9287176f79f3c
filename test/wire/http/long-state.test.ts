import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { answerTo, mebibyte } from '../../support/platform/uploads.ts'

/**
 * Number of rows of one mebibyte each. Together, the rows exceed the maximum length of a string.
 */
const rows = 520

/** Starts a server on a free port, and returns its world and address. */
async function listening() {
  const understudy = await createUnderstudy({ port: 0 })
  onTestFinished(() => understudy.close())
  return { world: understudy.world(), address: await understudy.listen() }
}

/** Yields the chunks of a reply's body as they arrive. */
async function* bytesOf(reply: Response): AsyncGenerator<Uint8Array> {
  for await (const bytes of reply.body ?? []) yield bytes
}

describe('behaviour/program#bounds: a state of more than 512 MiB', () => {
  test('a state can be exported and imported elsewhere, where its export has identical bytes', async () => {
    const [from, to] = [await listening(), await listening()]
    // All rows share one string in memory; only the exported document needs to be long.
    const base64 = 'A'.repeat(mebibyte)
    const contents = Object.fromEntries(
      Array.from({ length: rows }, (_, at) => [`cv-long/${at}`, { base64 }]),
    )
    from.world.importState({ platform: { tables: { contents } } })
    const exported = await fetch(`${from.address}/_mock/state`)
    expect(exported.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const put = request(`${to.address}/_mock/state`, { method: 'PUT' })
    const sent = createHash('sha1')
    let size = 0
    for await (const bytes of bytesOf(exported)) {
      size += bytes.length
      sent.update(bytes)
      if (!put.write(bytes)) await once(put, 'drain')
    }
    put.end()
    expect(await answerTo(put)).toEqual({ status: 204, text: '' })
    expect(size).toBeGreaterThan(rows * mebibyte)
    const again = createHash('sha1')
    for await (const bytes of bytesOf(await fetch(`${to.address}/_mock/state`))) again.update(bytes)
    expect(again.digest('hex')).toBe(sent.digest('hex'))
  }, 120_000)
})
