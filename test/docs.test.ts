import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endpoints, readmeFile, withGeneratedParts } from './support/docs.ts'

const readme = readFileSync(readmeFile, 'utf8')

/** Method and path, as the specification lists them for the mounts of a fresh server. */
const specified: Readonly<Record<string, readonly string[]>> = {
  '1-secrets.md › Endpoints › Health': ['GET /sys/health', 'HEAD /sys/health'],
  '1-secrets.md › Endpoints › Key-value v1': [
    'DELETE /kv/:path',
    'GET /kv/:path',
    'LIST /kv/:path',
    'POST /kv/:path',
  ],
  '1-secrets.md › Endpoints › Key-value v2': [
    'DELETE /secret/data/:path',
    'DELETE /secret/metadata/:path',
    'GET /secret/config',
    'GET /secret/data/:path',
    'GET /secret/metadata/:path',
    'GET /secret/subkeys/:path',
    'LIST /secret/metadata/:path',
    'PATCH /secret/data/:path',
    'PATCH /secret/metadata/:path',
    'POST /secret/config',
    'POST /secret/data/:path',
    'POST /secret/delete/:path',
    'POST /secret/destroy/:path',
    'POST /secret/metadata/:path',
    'POST /secret/undelete/:path',
  ],
}

describe('DESIGN section 2: declare once', () => {
  test('the generated parts of the README are fresh (npm run docs)', () => {
    expect(withGeneratedParts(readme)).toBe(readme)
  })

  test.each(Object.entries(specified))('%s: no endpoint missing, none too many', (spec, listed) => {
    const declared = endpoints()
      .filter((endpoint) => endpoint.spec === spec)
      .map(({ method, path }) => `${method} ${path}`)
    expect(declared.sort()).toEqual(listed)
  })

  test('every endpoint says what it does and where it is specified', () => {
    const silent = endpoints().filter(({ summary, spec }) => summary === '' || spec === '')
    expect(silent).toEqual([])
  })

  test('every runtime dependency is explained, and nothing else', () => {
    const manifest = new URL('../package.json', import.meta.url)
    const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
    const [, section = ''] = /## Dependencies\n([\s\S]*?)\n`vitest`/.exec(readme) ?? []
    const explained = [...section.matchAll(/^\| ([a-z@][^|]*) \|[^|]*\| installed/gm)].flatMap(
      ([, names]) => names?.split(', ') ?? [],
    )
    expect(explained.sort()).toEqual(Object.keys(dependencies).sort())
  })

  test.each([
    'flags',
    'endpoints',
    'platform-endpoints',
    'mesh-endpoints',
    'scheduler-endpoints',
    'control',
    'options',
    'presets',
    'choices',
  ])('a README without a place for %s is refused', (name) => {
    const lost = readme.replace(`<!-- ${name}:end -->`, '')
    expect(() => withGeneratedParts(lost)).toThrow(`the README needs one <!-- ${name}:start -->`)
  })
})
