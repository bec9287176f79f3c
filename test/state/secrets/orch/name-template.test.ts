import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { checkNameTemplate, generateName } from '../../../../state/secrets/orch/name-template.ts'
import { freshWorld } from '../fresh-world.ts'

const names = { displayName: 'Ada', roleName: 'reader' }
const world = freshWorld()

function outcome(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof Refusal ? error.message : error
  }
}

const created = (template: string, provided = names) =>
  outcome(() => generateName(world, template, provided))
const checked = (template: string) => outcome(() => checkNameTemplate(template))

describe('behaviour/secrets#orch-creds: the default name', () => {
  test('display name, role, time and 24 random characters', () => {
    expect(created('')).toMatch(/^v-ada-reader-1767225600-[0-9a-z]{24}$/)
    const long = { displayName: 'Lovelace-Ada', roleName: 'readers-of-pods' }
    expect(created('', long)).toMatch(/^v-lovelace-readers--1767225600-[0-9a-z]{24}$/)
    expect(created('', { displayName: '', roleName: 'a' })).toMatch(
      /^v--a-1767225600-[0-9a-z]{24}$/,
    )
  })

  test('is valid for objects of every valid name', () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,70}[a-zA-Z0-9])?$/)
    fc.assert(
      fc.property(part, part, (displayName, roleName) => {
        const name = generateName(world, '', { displayName, roleName })
        expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])$/)
        expect(name.length).toBeLessThanOrEqual(62)
      }),
    )
  })

  test('is at most 62 bytes for any display name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (displayName) => {
        const name = generateName(world, '', { ...names, displayName })
        expect([...name].length).toBeLessThanOrEqual(62)
        expect(name).toMatch(/^v-.*-reader-1767225600-[0-9a-z]{24}$/su)
      }),
    )
  })

  test('equal seeds give equal names', () => {
    const [one, two] = [freshWorld(), freshWorld()].map((each) => generateName(each, '', names))
    expect(one).toBe(two)
  })
})

describe('behaviour/secrets#orch-creds: functions of templates', () => {
  test.each([
    ['{{ .DisplayName }}-{{ .RoleName }}', 'Ada-reader'],
    ['{{ truncate 4 .RoleName }}', 'read'],
    ['{{ .RoleName | truncate 40 }}', 'reader'],
    ['{{ "äöü" | truncate 4 }}', 'äö'],
    ['{{ truncate_sha256 10 "abcdefghij" }}', 'abcdefghij'],
    // The hash covers the part that is cut off: cdefghijk.
    ['{{ truncate_sha256 10 "abcdefghijk" }}', 'ab7f1fddcb'],
    ['{{ .DisplayName | uppercase }}', 'ADA'],
    ['{{ .DisplayName | lowercase }}', 'ada'],
    ['{{ .RoleName | replace "e" "3" }}', 'r3ad3r'],
    ['{{ replace "" "." "ab" }}', '.a.b.'],
    ['{{ "" | sha256 }}', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['{{ .DisplayName | base64 }}', 'QWRh'],
    ['{{ unix_time }}', '1767225600'],
    ['{{ unix_time_millis }}', '1767225600000'],
    ['{{ timestamp "2006-01-02T15:04:05Z07:00" }}', '2026-01-01T00:00:00Z'],
  ])('%s', (template, expected) => {
    expect(created(template)).toBe(expected)
  })

  test.each([
    ['{{ random 7 }}', /^[0-9A-Za-z]{7}$/],
    ['{{ random 0 }}', /^$/],
    ['{{ uuid }}', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ])('%s', (template, form) => {
    expect(created(template)).toMatch(form)
    if (!template.includes(' 0 ')) expect(created(template)).not.toBe(created(template))
  })

  test.each([
    ['{{ printf "%s-%d-%v" .RoleName 7 8 }}', 'reader-7-8'],
    ['{{ printf "%q|%%" "q" }}', '"q"|%'],
    ['{{ printf "%d" "x" }}', '%!d(string=x)'],
    ['{{ printf "%s" }}', '%!s(MISSING)'],
    ['{{ printf "a" 1 "b" }}', 'a%!(EXTRA int=1, string=b)'],
    ['{{ printf "%" }}', '%!(NOVERB)'],
    ['{{ (printf "%s" (.RoleName | truncate 2)) | uppercase }}', 'RE'],
    ['a {{- " b " -}} c', 'a b c'],
    ['{{ "q\\"\\n\\t\\u00e4\\x41\\101" }}', 'q"\n\täAA'],
    ['{{ `raw\\n` }}', 'raw\\n'],
    ['{{ 16 }}{{ -5 }}', '16-5'],
    ['{{ .DisplayName\n| lowercase }}', 'ada'],
    ['{{ .RoleName | }}{{ (.RoleName | ) }}', 'readerreader'],
    ['no action }} at all', 'no action }} at all'],
  ])('as in Go: %s', (template, expected) => {
    expect(checked(template)).toBeUndefined()
    expect(created(template)).toBe(expected)
  })

  // choice/secrets#orch-name-template-applied
  test.each([
    ['{{ truncate "2" .RoleName }}', '1:12', '"2"', 'expected integer; found "2"'],
    ['{{ truncate 2 3 }}', '1:14', '3', 'expected string; found 3'],
    ['{{ truncate 2 }}', '1:3', 'truncate', 'wrong number of args for truncate: want 2 got 1'],
    ['{{ "x" | random }}', '1:9', 'random', 'wrong type for value; expected int; got string'],
    ['{{ random }}', '1:3', 'random', 'wrong number of args for random: want 1 got 0'],
    ['{{ printf }}', '1:3', 'printf', 'wrong number of args for printf: want at least 1 got 0'],
    [
      '{{ truncate 2 ("a" | truncate (uppercase "b")) }}',
      '1:41',
      '"b"',
      'wrong type for value; expected int; got string',
    ],
    ['{{ 3 | uppercase }}', '1:7', 'uppercase', 'wrong type for value; expected string; got int'],
    [
      '{{ truncate 0 "a" }}',
      '1:3',
      'truncate 0 "a"',
      'error calling truncate: max length must be > 0 but was 0',
    ],
    [
      '{{ truncate_sha256 8 "a" }}',
      '1:3',
      'truncate_sha256 8 "a"',
      'error calling truncate_sha256: max length must be > 8 but was 8',
    ],
    ['{{ random -1 }}', '1:3', 'random -1', 'error calling random: bad length -1'],
    ['ä\nö{{ .Name }}', '2:5', '.Name', "can't evaluate field Name in type orch.nameMetadata"],
    [
      '{{ .constructor }}',
      '1:3',
      '.constructor',
      "can't evaluate field constructor in type orch.nameMetadata",
    ],
    [
      '{{ .RoleName "a" }}',
      '1:3',
      '.RoleName',
      'RoleName has arguments but cannot be invoked as function',
    ],
    ['{{ "a" "b" }}', '1:3', '"a"', `can't give argument to non-function "a"`],
    ['{{ .Name 1 }}', '1:3', '.Name', "can't evaluate field Name in type orch.nameMetadata"],
  ])('%s cannot be applied', (template, place, node, why) => {
    expect(checked(template)).toBeUndefined()
    expect(created(template)).toBe(
      `failed to generate name: unable to apply template: template: template:${place}: executing "template" at <${node}>: ${why}`,
    )
  })
})

describe('behaviour/secrets#orch-roles: templates that do not parse', () => {
  // choice/secrets#orch-name-template choice/secrets#orch-name-template-bounds
  test.each([
    ['{{.String', 1, 'unclosed action'],
    ['{{', 1, 'unclosed action'],
    ['a\n{{ .RoleName', 2, 'unclosed action'],
    ['{{ () }}', 1, 'missing value for parenthesized pipeline'],
    ['{{}}', 1, 'missing value for command'],
    ['{{ nothing }}', 1, 'function "nothing" not defined'],
    ['{{ constructor }}', 1, 'function "constructor" not defined'],
    ['{{ "a" | 3 }}', 1, 'non executable command in pipeline stage 2'],
    ['{{ "a" | uppercase | 3 }}', 1, 'non executable command in pipeline stage 3'],
    ['{{ a-b }}', 1, "bad character U+002D '-'"],
    ['{{ .a"b" }}', 1, `bad character U+0022 '"'`],
    ['{{ \u0001 }}', 1, 'unrecognized character in action: U+0001'],
    ['{{ "abc }}', 1, 'unterminated quoted string'],
    ['{{ `abc }}', 1, 'unterminated raw quoted string'],
    ['{{ "\\q" }}', 1, 'invalid syntax'],
    ['{{ "a".Name }}', 1, 'unexpected . after term "\\"a\\""'],
    ['a{{ .RoleName\n| 5 5x }}', 2, 'bad number syntax: "5x"'],
    ['{{ .RoleName\n| a-b }}', 2, "bad character U+002D '-' in action started at template:1"],
    ['\n{{ .RoleName\n', 3, 'unclosed action started at template:2'],
    ['{{ 1x }}', 1, 'bad number syntax: "1x"'],
    ['{{ (1 }}', 1, 'unclosed left paren'],
    ['{{ 1) }}', 1, 'unexpected right paren'],
    ['{{ , }}', 1, 'unexpected "," in command'],
    ['{{ | .RoleName }}', 1, 'unexpected "|" in command'],
    ['{{ "a" , }}', 1, 'unexpected "," in operand'],
    ['{{ "a""b" }}', 1, 'unexpected "\\"b\\"" in operand'],
    ['{{ "a"uppercase }}', 1, 'unexpected "uppercase" in operand'],
    ['{{ "a""bcdefghijkl" }}', 1, 'unexpected "\\"bcdefghij"... in operand'],
    ['{{ range .RoleName }}{{ end }}', 1, 'unexpected <range> in command'],
    ['{{ if .RoleName }}a{{ end }}', 1, 'unexpected <if> in command'],
    ['{{ len .RoleName }}', 1, 'function "len" not defined'],
    ['{{ $.RoleName }}', 1, 'unexpected "$" in command'],
    ['{{ . }}', 1, 'unexpected "." in command'],
    ['{{/* a */}}', 1, 'unexpected "/" in command'],
    ["{{ 'a' }}", 1, `unexpected "'" in command`],
    ['{{ .RoleName.Length }}', 1, 'unexpected ".Length" in operand'],
    ['{{ 010 }}', 1, 'bad number syntax: "010"'],
    [`{{ ${'('.repeat(300)}1${')'.repeat(300)} }}`, 1, 'max expression depth exceeded'],
  ])('%s', (template, line, why) => {
    expect(checked(template)).toBe(
      `unable to initialize name template: unable to parse template: template: template:${line}: ${why}`,
    )
  })

  test('any text is accepted or refused with a TemplateError', () => {
    const piece = fc.constantFrom(
      ...['{{', '}}', ' ', '-', '|', '(', ')', '"', '`', "'", '.', '$', 'a', '1', '\\', '\n'],
      ...['if', 'end', 'printf', 'random', '.RoleName', '/*', '*/', 'ä', ','],
    )
    const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, (template) => {
        const refused = checked(template)
        if (refused === undefined) expect(typeof created(template)).toBe('string')
        else expect(refused).toMatch(/^unable to initialize name template: unable to parse/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('Bad input: templates with bounded work', () => {
  // choice/secrets#orch-name-template-bounds
  test.each([
    '{{ random 4097 }}',
    '{{ random 1000000000 }}',
    `{{ "aaaaaaaaaaaaaaaaaaaa" ${'| replace "a" "aaaaaaaaaaaaaaaaaaaa" '.repeat(20)} }}`,
    '{{ random 4096 }}{{ random 4096 }}',
  ])('%s is too long', (template) => {
    expect(checked(template)).toBeUndefined()
    expect(created(template)).toMatch(
      /^failed to generate name: unable to apply template: .*(is too long|bad length \d+)$/,
    )
  })

  // choice/secrets#orch-name-template-bounds
  test('a template has at most 16 KiB', () => {
    expect(checked('a'.repeat(16 * 1024))).toBeUndefined()
    expect(checked('a'.repeat(16 * 1024 + 1))).toBe(
      'unable to initialize name template: unable to parse template: template: too long',
    )
  })
})
