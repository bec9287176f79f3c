import { describe, expect, test } from 'vitest'
import { control } from '../../../support/control.ts'
import { notes } from '../../../support/kernel.ts'

const document = `
# a note
garden:
  tables:
    notes:
      a: {text: "from YAML"}
`
const deepDocument = Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
const yaml = { 'content-type': 'application/yaml' }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('behaviour/program#fresh-world: a document in YAML', () => {
  test.each([
    [{ 'content-type': 'application/x-yaml; charset=utf-8' }],
    [{ 'content-type': 'text/yaml' }],
    [{ 'content-type': 'application/vnd.test+yaml' }],
    [yaml],
    [form],
  ])('is imported with %j', async (headers) => {
    const { ask, world } = await control()
    expect((await ask('PUT', '/state', document, headers)).status).toBe(204)
    expect(world.table(notes).get('a')).toEqual({ text: 'from YAML' })
  })

  test('is imported into a world that the path names, and JSON is YAML as well', async () => {
    const { ask, worlds } = await control()
    await ask('POST', '/worlds', { id: 'other' })
    const text = '{"garden": {"tables": {"notes": {"a": {"text": "t"}}}}}'
    for (const headers of [yaml, form, json]) {
      expect((await ask('PUT', '/worlds/other/state', text, headers)).status).toBe(204)
    }
    expect(worlds.get('other').table(notes).get('a')).toEqual({ text: 't' })
  })

  test.each([
    [
      'a mistake of meaning',
      'garden:\n  tables:\n    nots: {}\n',
      yaml,
      /^\/garden\/tables\/nots is /,
    ],
    ['an empty text', '# nothing\n', yaml, /^body must be object: a state document/],
    ['no mapping', 'text', yaml, /^body must be object/],
    ['text that is not a document', 'text', form, /^the body is not valid JSON: /],
    ['incomplete JSON', '{"garden": ', form, /^the body is not valid JSON: /],
    ['YAML as JSON', document, json, /^the body is not valid JSON: /],
    ['YAML that is too long', `a: ${'x'.repeat(1024 * 1024)}`, yaml, /more than 524288 characters/],
    [
      'deep brackets',
      '['.repeat(100_000),
      yaml,
      /^the body is not valid YAML: it nests too deeply/,
    ],
    ['deep indentation', deepDocument, yaml, /^the body is not valid YAML: it nests too deeply/],
  ])('%s is refused, and nothing changes', async (_what, text, headers, problem) => {
    const { ask } = await control()
    const before = (await ask('GET', '/state')).text
    const { status, body } = await ask('PUT', '/state', text, headers)
    expect([status, body.problems[0]]).toEqual([400, expect.stringMatching(problem)])
    expect((await ask('GET', '/state')).text).toBe(before)
  })

  test('all mistakes of syntax are reported, with line and column', async () => {
    const { ask } = await control()
    const text = 'garden: {}\ngarden: {}\noptions: {}\noptions: {}\n'
    const { status, body } = await ask('PUT', '/state', text, form)
    expect([status, body.problems]).toEqual([
      400,
      [
        'the body is not valid YAML: Map keys must be unique at line 2, column 1',
        'the body is not valid YAML: Map keys must be unique at line 4, column 1',
      ],
    ])
  })
})
