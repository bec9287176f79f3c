import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../support/command.ts'
import { everyFixture } from '../../support/secrets/every-fixture.ts'

function file(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-validate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const bad = `secrets:
  tokens:
    - policies: []
  kv:
    none:
      a: {}
mesh:
  namespaces:
    - name: a_b
`
const mistakes = [
  '3: /secrets/tokens/0/id is missing',
  '5: /secrets/kv/none no key-value engine is mounted there',
  '9: /mesh/namespaces/0 Namespace name "a_b" is not a valid DNS hostname label',
]

describe('behaviour/program#commands: understudy validate', () => {
  test('valid fixtures cause no messages', async () => {
    const good = file('good.yaml', 'secrets: { kv: { kv: { a: { b: 1 } } } }')
    const every = file('every.yaml', everyFixture)
    expect(await run(['validate', good, every, file('empty.json', '{}')])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('all mistakes of all files, in structure and meaning, are reported with their lines', async () => {
    const yaml = file('bad.yaml', bad)
    const json = file('bad.json', '{\n  "secrets": {\n    "kv": { "none": {} }\n  }\n}')
    const { code, stdout, stderr } = await run(['validate', yaml, json])
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout.split('\n')).toEqual([
      ...mistakes.map((mistake) => `${yaml}:${mistake}`),
      `${json}:3: /secrets/kv/none no key-value engine is mounted there`,
      '',
    ])
  })

  test.each([
    ['a.yaml', 'a: 1\na: 2\nb: [\n', [2, 4]],
    ['a.yaml', 'a: *b\n', [1]],
    ['a.yaml', '- 1\n', [1]],
    ['a.json', '{\n  "a": 1,\n}', [3]],
    ['a.json', '{\n  "a": 7 8\n', [2]],
  ])('invalid syntax is reported: %s, %j', async (name, text, lines) => {
    const path = file(name, text)
    const { code, stdout } = await run(['validate', path])
    const places = stdout.trim().split('\n')
    expect(code).toBe(1)
    expect(places).toEqual(lines.map((line) => expect.stringMatching(`^${path}:${line}: [^/]`)))
  })

  test('an unreadable file gives exit code 2, regardless of other mistakes', async () => {
    const yaml = file('bad.yaml', bad)
    const { code, stdout, stderr } = await run(['validate', '/no/such.yaml', yaml])
    expect([code, stdout.split('\n').length]).toEqual([2, 4])
    expect(stderr).toMatch(/^understudy: validate: cannot read \/no\/such\.yaml \(ENOENT[^\n]+\n$/)
  })

  test.each([
    [['validate'], 'validate needs a file: understudy validate FILE...'],
    [
      ['validate', '--options={"secrets":{"x":1}}', '/no/such.yaml'],
      'the initial state was rejected: /secrets/x is unknown',
    ],
  ])('%j prints one line and exits with 2', async (argv, line) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `understudy: ${line}\n` })
  })
})

describe('behaviour/program#command: a start with bad fixtures', () => {
  test('all mistakes are reported with their lines, in one line if there is no terminal', async () => {
    const yaml = file('bad.yaml', bad)
    const messages = mistakes.map((mistake) => `${yaml}:${mistake}`).join('; ')
    const { code, stdout, stderr } = await run(['--port=0', '--fixtures', yaml])
    // On a busy machine, loading takes longer than a second and prints progress messages.
    const lines = stderr.split('\n').filter((line) => !line.startsWith('loading fixtures: '))
    expect([code, stdout, lines]).toEqual([
      2,
      '',
      [`understudy: the initial state was rejected: ${messages}`, ''],
    ])
  })
})
