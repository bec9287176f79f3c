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

const made = (template: string, given = names) =>
  outcome(() => generateName(world, template, given))
const checked = (template: string) => outcome(() => checkNameTemplate(template))

describe('1-secrets-decisions.md section 9, creds: the default name', () => {
  test('display name, role, time and 24 random characters', () => {
    expect(made('')).toMatch(/^v-ada-reader-1767225600-[0-9a-z]{24}$/)
    const long = { displayName: 'Lovelace-Ada', roleName: 'readers-of-pods' }
    expect(made('', long)).toMatch(/^v-lovelace-readers--1767225600-[0-9a-z]{24}$/)
    expect(made('', { displayName: '', roleName: 'a' })).toMatch(/^v--a-1767225600-[0-9a-z]{24}$/)
  })

  test('is the name of an object for every name that objects may have', () => {
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

describe('1-secrets-decisions.md section 9, creds: functions of templates', () => {
  test.each([
    ['{{ .DisplayName }}-{{ .RoleName }}', 'Ada-reader'],
    ['{{ truncate 4 .RoleName }}', 'read'],
    ['{{ .RoleName | truncate 40 }}', 'reader'],
    ['{{ "äöü" | truncate 4 }}', 'äö'],
    ['{{ truncate_sha256 10 "abcdefghij" }}', 'abcdefghij'],
    // The hash is of what is cut off: cdefghijk.
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
    expect(made(template)).toBe(expected)
  })

  test.each([
    ['{{ random 7 }}', /^[0-9A-Za-z]{7}$/],
    ['{{ random 0 }}', /^$/],
    ['{{ uuid }}', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ])('%s', (template, form) => {
    expect(made(template)).toMatch(form)
    if (!template.includes(' 0 ')) expect(made(template)).not.toBe(made(template))
  })

  test.each([
    ['{{ printf "%s-%d-%v" .RoleName 7 true }}', 'reader-7-true'],
    [
      '{{ printf "%5s|%-5s|%05d|%x|%q|%.2s|%%|%c|%t" "a" "b" 42 255 "q" "xyz" 65 true }}',
      '    a|b    |00042|ff|"q"|xy|%|A|true',
    ],
    ['{{ printf "%+d %X %x %#q" 5 171 "hi" "r" }}', '+5 AB 6869 `r`'],
    ['{{ printf "%d" "x" }}', '%!d(string=x)'],
    ['{{ printf "%s" }}', '%!s(MISSING)'],
    ['{{ printf "a" 1 "b" }}', 'a%!(EXTRA int=1, string=b)'],
    ['{{ printf "%" }}', '%!(NOVERB)'],
    ['{{ printf "%9999999d" 1 }}', '%!(BADWIDTH)'],
    ['{{ print "a" 1 2 "b" }}', 'a1 2b'],
    ['{{ println "a" 1 }}', 'a 1\n'],
    ['{{ len "äb" }}', '3'],
    ['{{ not true }}{{ not "" }}', 'falsetrue'],
    ['{{ and "a" "" "b" }}|{{ and "a" "b" }}|{{ or "" "b" }}|{{ or "" 0 }}', '|b|b|0'],
    ['{{ eq .RoleName "x" "reader" }}{{ ne 1 2 }}{{ eq true false }}', 'truetruefalse'],
    ['{{ if eq .RoleName "reader" }}r{{ else }}w{{ end }}', 'r'],
    ['{{ if "" }}a{{ else if 1 }}b{{ else }}c{{ end }}', 'b'],
    ['{{ if 0 }}a{{ else if false }}b{{ else }}c{{ end }}', 'c'],
    ['{{ if .DisplayName }}{{ if false }}x{{ end }}y{{ end }}z', 'yz'],
    ['{{ (printf "%s" (.RoleName | truncate 2)) | uppercase }}', 'RE'],
    ['{{ $.RoleName }}', 'reader'],
    ['a {{- " b " -}} c', 'a b c'],
    ['a{{/* a note */}}b {{- /* and one */ -}} c', 'abc'],
    ['{{ "q\\"\\n\\t\\u00e4\\x41\\101" }}', 'q"\n\täAA'],
    ['{{ `raw\\n` }}', 'raw\\n'],
    ["{{ 'a' }}{{ 0x10 }}{{ 010 }}{{ 1_000 }}{{ -5 }}", '9716810005'.replace('1000', '1000-')],
    ['{{ .DisplayName\n| lowercase }}', 'ada'],
    ['{{ .RoleName | }}{{ (.RoleName | ) }}', 'readerreader'],
    ['no action }} at all', 'no action }} at all'],
  ])('of Go itself: %s', (template, expected) => {
    expect(checked(template)).toBeUndefined()
    expect(made(template)).toBe(expected)
  })

  test.each([
    ['{{ truncate "2" .RoleName }}', '1:12', '"2"', 'expected integer; found "2"'],
    ['{{ truncate 2 3 }}', '1:14', '3', 'expected string; found 3'],
    ['{{ truncate 2 }}', '1:3', 'truncate', 'wrong number of args for truncate: want 2 got 1'],
    ['{{ "x" | random }}', '1:9', 'random', 'wrong type for value; expected int; got string'],
    ['{{ random }}', '1:3', 'random', 'wrong number of args for random: want 1 got 0'],
    ['{{ printf }}', '1:3', 'printf', 'wrong number of args for printf: want at least 1 got 0'],
    [
      '{{ truncate (len "ab") (len "ab") }}',
      '1:28',
      '"ab"',
      'wrong type for value; expected string; got int',
    ],
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
    ['{{ eq 1 }}', '1:3', 'eq 1', 'error calling eq: missing argument for comparison'],
    ['{{ eq 1 "a" }}', '1:3', 'eq 1 "a"', 'error calling eq: incompatible types for comparison'],
    ['ä\nö{{ .Name }}', '2:5', '.Name', "can't evaluate field Name in type orch.nameMetadata"],
    [
      '{{ .RoleName.Length }}',
      '1:12',
      '.RoleName.Length',
      "can't evaluate field Length in type string",
    ],
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
    ['{{ nil }}', '1:3', 'nil', 'nil is not a command'],
  ])('%s cannot be applied', (template, place, node, why) => {
    expect(checked(template)).toBeUndefined()
    expect(made(template)).toBe(
      `failed to generate name: unable to apply template: template: template:${place}: executing "template" at <${node}>: ${why}`,
    )
  })
})

describe('1-secrets-decisions.md section 9, roles: templates that do not parse', () => {
  test.each([
    ['{{.String', 1, 'unclosed action'],
    ['{{', 1, 'unclosed action'],
    ['a\n{{ .RoleName', 2, 'unclosed action'],
    ['{{ () }}', 1, 'missing value for parenthesized pipeline'],
    ['{{}}', 1, 'missing value for command'],
    ['{{ if }}a{{ end }}', 1, 'missing value for if'],
    ['{{ nothing }}', 1, 'function "nothing" not defined'],
    ['{{ constructor }}', 1, 'function "constructor" not defined'],
    ['{{ "a" | 3 }}', 1, 'non executable command in pipeline stage 2'],
    ['{{ "a" | uppercase | . }}', 1, 'non executable command in pipeline stage 3'],
    ['{{ a-b }}', 1, "bad character U+002D '-'"],
    ['{{ .a"b" }}', 1, `bad character U+0022 '"'`],
    ['{{ \u0001 }}', 1, 'unrecognized character in action: U+0001'],
    ['{{ "abc }}', 1, 'unterminated quoted string'],
    ['{{ `abc }}', 1, 'unterminated raw quoted string'],
    ["{{ 'a }}", 1, 'unterminated character constant'],
    ['{{ "\\q" }}', 1, 'invalid syntax'],
    ["{{ 'ab' }}", 1, "malformed character constant: 'ab'"],
    ['{{ nil.Name }}', 1, 'unexpected . after term "nil"'],
    ['{{ "a".Name }}', 1, 'unexpected . after term "\\"a\\""'],
    ['a{{ .RoleName\n| 5 5x }}', 2, 'bad number syntax: "5x"'],
    ['{{ .RoleName\n| a-b }}', 2, "bad character U+002D '-' in action started at template:1"],
    ['\n{{ .RoleName\n', 3, 'unclosed action started at template:2'],
    ['{{ if true }}a{{ else 5 }}', 1, 'unexpected "5" in else'],
    ['{{ else if true }}', 1, 'unexpected {{else}}'],
    ['{{ 1x }}', 1, 'bad number syntax: "1x"'],
    ['{{ (1 }}', 1, 'unclosed left paren'],
    ['{{ 1) }}', 1, 'unexpected right paren'],
    ['{{ , }}', 1, 'unexpected "," in command'],
    ['{{ | .RoleName }}', 1, 'unexpected "|" in command'],
    ['{{ "a" , }}', 1, 'unexpected "," in operand'],
    ['{{ "a""b" }}', 1, 'unexpected "\\"b\\"" in operand'],
    ['{{ "a""bcdefghijkl" }}', 1, 'unexpected "\\"bcdefghij"... in operand'],
    ['{{ if true }}a', 1, 'unexpected EOF'],
    ['{{ if true }}a{{ else }}b', 1, 'unexpected EOF'],
    ['{{ if true }}a{{ else }}b{{ else }}c{{ end }}', 1, 'expected end; found {{else}}'],
    ['{{ if true }}a{{ end 5 }}', 1, 'unexpected "5" in end'],
    ['{{ end }}', 1, 'unexpected {{end}}'],
    ['{{ else }}', 1, 'unexpected {{else}}'],
    ['{{ range .RoleName }}{{ end }}', 1, 'unexpected <range> in command'],
    ['{{ $x }}', 1, 'undefined variable "$x"'],
    ['{{/* a', 1, 'unclosed comment'],
    ['{{/* a */ b }}', 1, 'comment ends before closing delimiter'],
    [`{{ ${'('.repeat(300)}1${')'.repeat(300)} }}`, 1, 'max expression depth exceeded'],
    ['{{ if 1 }}'.repeat(300), 1, 'max expression depth exceeded'],
  ])('%s', (template, line, why) => {
    expect(checked(template)).toBe(
      `unable to initialize name template: unable to parse template: template: template:${line}: ${why}`,
    )
  })

  test('any text is taken or refused, never an accident', () => {
    const piece = fc.constantFrom(
      ...['{{', '}}', ' ', '-', '|', '(', ')', '"', '`', "'", '.', '$', 'a', '1', '\\', '\n'],
      ...['if', 'else', 'end', 'printf', 'random', '.RoleName', '/*', '*/', 'ä', ','],
    )
    const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, (template) => {
        const refused = checked(template)
        if (refused === undefined) expect(typeof made(template)).toBe('string')
        else expect(refused).toMatch(/^unable to initialize name template: unable to parse/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('Bad input: templates with bounded work', () => {
  test.each([
    '{{ random 4097 }}',
    '{{ random 1000000000 }}',
    '{{ printf "%4097s" "a" }}',
    '{{ printf "%4000s%4000s" "a" "b" }}',
    `{{ "aaaaaaaaaaaaaaaaaaaa" ${'| replace "a" "aaaaaaaaaaaaaaaaaaaa" '.repeat(20)} }}`,
    '{{ random 4096 }}{{ random 4096 }}',
  ])('%s is too long', (template) => {
    expect(checked(template)).toBeUndefined()
    expect(made(template)).toMatch(
      /^failed to generate name: unable to apply template: .*(is too long|bad length \d+)$/,
    )
  })

  test('a template has at most 16 KiB', () => {
    expect(checked('a'.repeat(16 * 1024))).toBeUndefined()
    expect(checked('a'.repeat(16 * 1024 + 1))).toBe(
      'unable to initialize name template: unable to parse template: template: too long',
    )
  })
})
