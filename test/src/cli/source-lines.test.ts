import { describe, expect, test } from 'vitest'
import { lineLocator } from '../../../src/cli/validate/validate-fixtures.ts'

const yaml = `# comment
secrets:
  tokens:
    - &one
      id: a
    - *one
  kv:
    kv:
      a/b: { x: 1 }
      a: b
      'with space': {}
      "1": {}
platform: []
`
const json = `{
\t"secrets": {
\t\t"tokens": [
\t\t\t{ "id": 1 },
\t\t\t{ "id": 1, "id": 2 }
\t\t]
\t}
}`

describe('behaviour/program#commands: problems have line numbers of the source', () => {
  test.each([
    ['/secrets must be object', 2, undefined],
    ['/secrets/tokens/0/id must be string', 5, undefined],
    ['/secrets/tokens/0/policies is missing', 5, undefined],
    ['/secrets/tokens/1/id: is wrong', 5, '/secrets/tokens/1/id is wrong'],
    ['/secrets/tokens/7: no', 3, undefined],
    ['/secrets/tokens/x is not a number', 3, undefined],
    ['/secrets/kv/kv/a~1b: no / here', 9, '/secrets/kv/kv/a~1b no / here'],
    ['/secrets/kv/kv/a: b is wrong', 10, '/secrets/kv/kv/a b is wrong'],
    ['/secrets/kv/kv/with space must be there', 11, undefined],
    ['/secrets/kv/kv/1/x must be there', 12, undefined],
    ['/platform/users is unknown', 13, undefined],
    ['/lake is unknown', 1, undefined],
    ['the document must be object', 1, undefined],
  ])('in YAML: %s', (problem, line, text = problem) => {
    expect(lineLocator(yaml)(problem)).toEqual({ line, text })
  })

  test.each([
    ['/secrets/tokens/0/id must be string', 4],
    ['/secrets/tokens/1/policies is missing', 5],
  ])('in JSON, with tabs and equal names: %s', (problem, line) => {
    expect(lineLocator(json)(problem)).toEqual({ line, text: problem })
  })

  test('an empty text has one line', () => {
    expect(lineLocator('')('/a is missing').line).toBe(1)
  })
})
