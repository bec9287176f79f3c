import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packArchive } from '../../../../state/kernel/archives/archive-writer.ts'
import { readTar } from '../../../../state/kernel/archives/tar-reader.ts'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { putKey } from '../../../../state/mesh/kv/writes.ts'
import { preparedQueries } from '../../../../state/mesh/queries/tables.ts'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { mesh, type TestMesh } from '../../../support/mesh/mesh.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

const waiting = blockingReader('x-mesh-index')

/** Returns the archive of a server. */
async function archiveOf({ app }: TestMesh) {
  const { headers, rawPayload, statusCode } = await app.inject('/v1/snapshot')
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/x-gzip'])
  return { archive: Buffer.from(rawPayload), index: Number(headers['x-mesh-index']) }
}

const sumOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Packs an archive around a state, with checksums that fit. */
function packed(state: Buffer, meta = '{}\n') {
  const sums = `${sumOf(Buffer.from(meta))}  meta.json\n${sumOf(state)}  state.bin\n`
  return packArchive({ 'meta.json': meta, 'state.bin': state, SHA256SUMS: sums })
}

describe('behaviour/mesh#snapshot', () => {
  test('an archive restores the whole state with its indexes, and ends waits', async () => {
    const served = await mesh({ options: { waitJitter: false } })
    const { mesh: client, world } = served
    await client.put('kv/a', 'first')
    await client.put('agent/service/register', { Name: 'web', Check: { TTL: '10s' } })
    await client.put('config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
    const { body: session } = await client.put('session/create', { TTL: '10s' })
    const before = exportWorld(world)
    const { archive, index } = await archiveOf(served)
    expect(index).toBe(world.store.index('mesh'))
    await client.put('kv/a', 'second')
    await client.put('kv/b', 'new')
    await client.put('agent/service/deregister/web')
    await client.put(`session/destroy/${session.ID}`)
    await client.delete('config/service-defaults/web')
    const absent = await waiting(client, `kv/absent?index=${world.store.index('mesh')}`)
    const restored = await client.put('snapshot', archive)
    expect([restored.status, restored.text]).toEqual([200, ''])
    await drainEventLoop()
    expect(absent.outcome).toEqual([404, expect.any(String)])
    const { ids: _ids, sequence: _sequence, tables, ...positions } = before.world ?? {}
    expect(exportWorld(world)['mesh']).toEqual(before['mesh'])
    expect(exportWorld(world).world).toMatchObject(positions)
    expect(Object.values(exportWorld(world).world?.tables?.['agenda'] ?? {})).toEqual(
      expect.arrayContaining(Object.values(tables?.['agenda'] ?? {})),
    )
    served.clock.advance(30_000)
    expect((await client.get(`session/info/${session.ID}`)).body).toEqual([])
    const other = await mesh()
    expect((await other.mesh.put('snapshot', archive)).status).toBe(200)
    expect((await other.mesh.get('kv/a?raw')).text).toBe('first')
  })

  test('the archive has the form that the command of the product verifies', async () => {
    const served = await mesh()
    const { archive, index } = await archiveOf(served)
    const tar = gunzipSync(archive)
    expect(tar.subarray(-1_024).every((byte) => byte === 0)).toBe(true)
    expect(tar.subarray(-1_536, -1_024).some((byte) => byte !== 0)).toBe(true)
    const { files, paths } = readTar(tar) ?? {}
    expect(paths).toEqual(['meta.json', 'state.bin', 'SHA256SUMS'])
    const state = files?.get('state.bin') ?? Buffer.alloc(0)
    expect(JSON.parse(String(files?.get('meta.json')))).toMatchObject({
      ...{ Version: 1, ID: `2-${index}-${served.clock.now()}`, Index: index, Term: 2 },
      ...{ Peers: 'ka4xMjcuMC4wLjE6ODMwMA==', ConfigurationIndex: 1, Size: state.length },
      Configuration: { Servers: [{ Suffrage: 0, Address: '127.0.0.1:8300' }] },
    })
    expect(state.subarray(0, 11).toString('latin1')).toBe('\x81\xa9LastIndex')
    expect(state[20]).toBe(228)
  })

  test('bytes that are not an archive of this server are refused, and nothing changes', async () => {
    const served = await mesh()
    const { mesh: client, world } = served
    const { archive } = await archiveOf(served)
    const files = readTar(gunzipSync(archive))?.files ?? new Map<string, Buffer>()
    const state = files.get('state.bin') ?? Buffer.alloc(0)
    const changed = Buffer.from(state)
    changed[state.length - 1] = 0
    const withRow = (text: string) => {
      const content = Buffer.from(text)
      const head = Buffer.from(state.subarray(0, 26))
      head.writeUInt32BE(content.length, 22)
      return packed(Buffer.concat([head, content]))
    }
    await client.post('query', { Name: 'q', Service: { Service: 'web' } })
    const [[id = '', query] = []] = world.table(preparedQueries).entries()
    const queries = { [id]: query, [`x${id}`]: { ...query, id: `x${id}` } }
    const withTwoQueries = JSON.stringify({ index: 9, tables: { queries }, jobs: [] })
    const own = Object.fromEntries(files)
    const unreadable = 'failed to read snapshot file: '
    const integrity = `${unreadable}failed checking integrity of snapshot: `
    const foreign = 'failed to restore snapshot: not a snapshot of this server'
    const before = exportWorld(world)
    for (const [body, text] of [
      [Buffer.from(''), 'failed to decompress snapshot: EOF'],
      [Buffer.from('x'), 'failed to decompress snapshot: unexpected EOF'],
      [Buffer.from('not compressed'), 'failed to decompress snapshot: gzip: invalid header'],
      [archive.subarray(0, 200), `${unreadable}failed reading snapshot: unexpected EOF`],
      [gzipSync('x'), `${unreadable}failed reading snapshot: unexpected EOF`],
      [
        gzipSync('x'.repeat(1_024)),
        `${unreadable}failed reading snapshot: archive/tar: invalid tar header`,
      ],
      [packArchive({ ...own, x: '' }), `${unreadable}unexpected file "x" in snapshot`],
      [
        packArchive({ ...own, 'state.bin': changed }),
        `${integrity}hash check failed for "state.bin"`,
      ],
      [packArchive({ ...own, SHA256SUMS: '' }), `${integrity}file missing for "meta.json"`],
      [packed(Buffer.from('\x81\xa9LastIndex\x05\x00', 'latin1')), foreign],
      [packed(changed), foreign],
      [withRow('{}'), foreign],
      [withRow('{"index":9,"tables":{"keys":{"a":{"key":5}}},"jobs":[]}'), foreign],
      [withRow('{"index":9,"tables":{},"jobs":[{"at":1,"job":"x","id":""}]}'), foreign],
      [withRow(withTwoQueries), foreign],
    ] as const) {
      const reply = await client.put('snapshot', body)
      expect([reply.status, reply.text]).toEqual([500, text])
    }
    expect(exportWorld(world)).toEqual(before)
  })

  test('a state of many rows is saved and restored whole', async () => {
    const served = await mesh()
    const { mesh: client, world } = served
    const value = Buffer.from('v')
    for (let at = 0; at < 1_200; at++) putKey(world, 'default', `k/${at}`, { value, flags: 0 })
    const before = exportWorld(world)['mesh']
    const { archive } = await archiveOf(served)
    await client.delete('kv/k?recurse')
    expect((await client.put('snapshot', archive)).status).toBe(200)
    expect(exportWorld(world)['mesh']).toEqual(before)
  })

  // behaviour/program#bounds
  test('restoring many rows gives others a turn, and requests of the world wait in order', async () => {
    const served = await mesh()
    const { mesh: client, world } = served
    const fill = (count: number) => {
      const value = Buffer.from('v')
      for (let at = 0; at < count; at++) putKey(world, 'default', `k/${at}`, { value, flags: 0 })
    }
    const { archive: empty } = await archiveOf(served)
    fill(1_000)
    const { archive } = await archiveOf(served)
    slowClock(30)
    const restore = async (content: Buffer) => {
      const restored = client.put('snapshot', content)
      // The server receives the body in a later turn.
      await drainEventLoop()
      const reads = await Promise.all([client.get('kv/k/7'), client.get('kv/k/1200')])
      expect((await restored).status).toBe(200)
      return reads.map(({ status }) => status)
    }
    const turnsOfEmpty = await countTurns(() => restore(empty))
    fill(2_000)
    const turns = await countTurns(async () => expect(await restore(archive)).toEqual([200, 404]))
    // Of each, 250 rows a turn: 1,000 are read and written, 2,000 deleted.
    expect(turns - turnsOfEmpty).toBeGreaterThanOrEqual(12)
  })
})
