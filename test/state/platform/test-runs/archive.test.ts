import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readTar } from '../../../../state/kernel/archives/tar-reader.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { putContent } from '../../../../state/platform/objects.ts'
import { readArchive } from '../../../../state/platform/test-runs/archive.ts'
import { tarEnd, tarEntry } from '../../../support/platform/archives.ts'
import { platformWorld } from '../platform-world.ts'

const section = 'behaviour/platform#log'

function namesIn(...entries: readonly Buffer[]): string[] | undefined {
  const archive = readTar(Buffer.concat([...entries, tarEnd]))
  return archive && [...archive.files.keys()]
}

/** Returns the archive that is read from uploaded bytes. */
function uploaded(bytes: Buffer, world: World = platformWorld()) {
  world.write(() => putContent(world, 'cv-1', [bytes.toString('base64')]))
  return readArchive(world, 'cv-1')
}

describe(`${section}: files of an upload`, () => {
  test('regular files by path; a leading ./ is dropped, folders and links are not files', () => {
    const archive = readTar(
      Buffer.concat([
        tarEntry('./', '', { type: '5' }),
        tarEntry('./main.tf', 'a'),
        tarEntry('tests/', '', { type: '5' }),
        tarEntry('tests/one.tftest.hcl', 'päß'),
        tarEntry('link.tf', '', { type: '2' }),
        tarEnd,
      ]),
    )
    expect(archive?.paths).toEqual(['main.tf', 'tests', 'tests/one.tftest.hcl', 'link.tf'])
    expect(
      Array.from(archive?.files ?? [], ([path, content]) => [path, content.toString()]),
    ).toEqual([
      ['main.tf', 'a'],
      ['tests/one.tftest.hcl', 'päß'],
    ])
  })

  test('long names in all three formats', () => {
    const long = `${'deep/'.repeat(30)}main.tf`
    const record = `${String(long.length + 10)} path=${long}\n`
    expect(namesIn(tarEntry('main.tf', 'x', { prefix: 'a/b' }))).toEqual(['a/b/main.tf'])
    expect(namesIn(tarEntry('x', `${long}\0`, { type: 'L' }), tarEntry('short', 'x'))).toEqual([
      long,
    ])
    expect(namesIn(tarEntry('x', record, { type: 'x' }), tarEntry('short', 'x'))).toEqual([long])
  })

  test('a wrong checksum, a truncated file and more than 1,000 entries make an archive invalid', () => {
    expect(namesIn(tarEntry('a', 'x', { checksumOffset: 1 }))).toBeUndefined()
    expect(readTar(tarEntry('a', 'x'.repeat(600)).subarray(0, 1024))).toBeUndefined()
    const entries = (count: number) => Array(count).fill(tarEntry('a', ''))
    expect(namesIn(...entries(1_000))).toEqual(['a'])
    expect(namesIn(...entries(1_001))).toBeUndefined()
  })

  test('gzip of at most 8 MiB is read; everything else is ignored', () => {
    const tar = (size: number) => Buffer.concat([tarEntry('a', 'x'.repeat(size)), tarEnd])
    expect(uploaded(gzipSync(tar(1_000_000)))?.files.size).toBe(1)
    expect(uploaded(gzipSync(tar(8 * 1024 * 1024)))).toBeUndefined()
    expect(uploaded(tar(10))).toBeUndefined()
    expect(uploaded(gzipSync(tar(10)).subarray(0, -4))).toBeUndefined()
    expect(uploaded(Buffer.alloc(9 * 1024 * 1024))).toBeUndefined()
    expect(readArchive(platformWorld(), 'cv-1')).toBeUndefined()
  })
})
