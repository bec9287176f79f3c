import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fileOf, readDocument } from './support/documentation/docs.ts'
import {
  anchorsOf,
  documents,
  linksOf,
  proseOf,
  unevenRows,
} from './support/documentation/links.ts'

describe('behaviour/program#what-it-is: a newcomer can follow the documents', () => {
  test.each(documents)('the links of %s lead to something', (document) => {
    const dead = linksOf(document).filter(
      ({ file, anchor }) =>
        !existsSync(fileOf(file)) || (anchor !== '' && !anchorsOf(file).includes(anchor)),
    )
    expect(dead).toEqual([])
  })

  test('links and anchors are found as renderers find them', () => {
    expect(linksOf('README.md')).toContainEqual({
      document: 'README.md',
      file: 'docs/guide/inspector/trace-light.png',
      anchor: '',
    })
    expect(linksOf('README.md')).toContainEqual({
      document: 'README.md',
      file: 'README.md',
      anchor: 'what-the-real-thing-cannot-do',
    })
    expect(anchorsOf('README.md')).toContain('what-the-real-thing-cannot-do')
  })

  test('every document is reached from the list of documents', () => {
    const listed = new Set(linksOf('docs/README.md').map(({ file }) => file))
    const brokenLinks = documents.filter(
      (document) => document.startsWith('docs/') && !listed.has(document),
    )
    expect(brokenLinks).toEqual(['docs/README.md'])
  })

  test('each row of a table has as many cells as the heading', () => {
    expect(documents.flatMap(unevenRows)).toEqual([])
  })

  test('no document contains syntax that the site generator interprets', () => {
    const badTitles = documents.filter((document) =>
      /\{\{|(?:src|srcset)="(?!\.|docs\/|https?:)/.test(proseOf(document)),
    )
    expect(badTitles).toEqual([])
  })

  test('code that CONTRIBUTING.md shows is in the files that it names', () => {
    const excerpts = [
      ...readDocument('CONTRIBUTING.md').matchAll(
        /<!-- from (\S+) -->\n```(?:ts|md)\n([\s\S]*?)```/g,
      ),
    ]
    expect(excerpts.length).toBeGreaterThan(6)
    const stale = excerpts.filter(([, file = '', code = '']) => !readDocument(file).includes(code))
    expect(stale.map(([, file]) => file)).toEqual([])
  })
})
