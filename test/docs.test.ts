import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  endpoints,
  generatedParts,
  readDocument,
  withGeneratedParts,
} from './support/documentation/docs.ts'
import { tableSecretsModule, tableSecretsText } from './support/documentation/table-secrets.ts'

const dependencyTable = readDocument('docs/dependencies.md')

/** Method and path, as the specification lists them for the mounts of a fresh server. */
const specified: Readonly<Record<string, readonly string[]>> = {
  'behaviour/secrets#api-health': ['GET /sys/health', 'HEAD /sys/health'],
  'behaviour/secrets#api-kv1': [
    'DELETE /kv/:path',
    'GET /kv/:path',
    'LIST /kv/:path',
    'POST /kv/:path',
  ],
  'behaviour/secrets#api-kv2': [
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

describe('behaviour/program#worlds: declare once', () => {
  test.each([...new Set(generatedParts.map(([, document]) => document))])(
    'the generated parts of %s are fresh (npm run docs)',
    (document) => {
      const text = readDocument(document)
      expect(withGeneratedParts(document, text)).toBe(text)
    },
  )

  test.each(Object.entries(specified))('%s: every endpoint is documented once', (spec, listed) => {
    const declared = endpoints()
      .filter((endpoint) => endpoint.spec === spec)
      .map(({ method, path }) => `${method} ${path}`)
    expect(declared.sort()).toEqual(listed)
  })

  test('behaviour/program#journal: the inspector has the secrets that the tables declare (npm run docs)', () => {
    expect(readDocument(tableSecretsModule)).toBe(tableSecretsText())
  })

  test('every endpoint says what it does and where it is specified', () => {
    const silent = endpoints().filter(({ summary, spec }) => summary === '' || spec === '')
    expect(silent).toEqual([])
  })

  test('the summary of an endpoint begins with a verb in the imperative', () => {
    const summaries = endpoints().map(({ summary }) => summary)
    expect(summaries.filter((summary) => /^[A-Z][a-z]+s\b/.test(summary))).toEqual([])
  })

  test('every runtime dependency is explained, and nothing else', () => {
    const manifest = new URL('../package.json', import.meta.url)
    const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
    const [, section = ''] = /# Dependencies\n([\s\S]*?)\n`vitest`/.exec(dependencyTable) ?? []
    const explained = [...section.matchAll(/^\| ([a-z@][^|]*) \|[^|]*\| installed/gm)].flatMap(
      ([, names]) => names?.split(', ') ?? [],
    )
    expect(explained.sort()).toEqual(Object.keys(dependencies).sort())
  })

  test.each(generatedParts)('a document without a place for %s is refused', (name, document) => {
    const lost = readDocument(document).replace(`<!-- ${name}:end -->`, '')
    expect(() => withGeneratedParts(document, lost)).toThrow(
      `${document} needs one <!-- ${name}:start -->`,
    )
  })
})
