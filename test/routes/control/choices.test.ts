import { describe, expect, test } from 'vitest'
import { parseChoices } from '../../../routes/control/choices.ts'

const head = '| Name | Question | Choice | Evidence | Rule |\n|---|---|---|---|---|'
const rule = '[secrets#conventions](../behaviour/secrets.md#conventions)'

/** Returns a row with valid cells, some of which are replaced. */
function row(cells: Partial<Record<'name' | 'about' | 'choice' | 'evidence' | 'rule', string>>) {
  const { name = '`null-body`', about = 'How null is read.', choice = 'As `{}`.' } = cells
  const { evidence = 'decided here', rule: where = rule } = cells
  return `| ${name} | ${about} | ${choice} | ${evidence} | ${where} |`
}

const parse = (line: string) => parseChoices(`# Choices\n\n## Secrets\n\n${head}\n${line}\n`)

describe('behaviour/program#what-it-is: the document of named choices', () => {
  test('lists the choices of each API below its heading, whichever headings separate them', () => {
    const document = `## Secrets\n\n### Requests\n\n${head}\n${row({})}\n\n### Seal\n\n${head}\n${row(
      {
        name: '`seal`',
      },
    )}\n\n## Process\n`
    const choice = {
      id: 'null-body',
      about: 'How null is read.',
      choice: 'As `{}`.',
      evidence: 'decided here',
      where: 'behaviour/secrets#conventions',
    }
    const parsed = [
      ['secrets', [choice, { ...choice, id: 'seal' }]],
      ['process', []],
    ]
    expect([...parseChoices(document)]).toEqual(parsed)
    expect([...parseChoices(document.replaceAll('\n', '\r\n'))]).toEqual(parsed)
  })

  test('escapes bars and angle brackets, which are unescaped in the parsed text', () => {
    const line = row({ about: 'Whether `a \\| b` is \\<b>.', choice: 'No, `\\u003c`.' })
    expect(parse(line).get('secrets')).toMatchObject([
      { about: 'Whether `a | b` is <b>.', choice: 'No, `\\u003c`.' },
    ])
  })

  test('may cite further rules, and may add a remark to a rule', () => {
    const further = `${rule}, and ${rule.replaceAll('conventions', 'help')}`
    const [cited] = parse(row({ rule: further })).get('secrets') ?? []
    expect(cited?.where).toBe('behaviour/secrets#conventions, and behaviour/secrets#help')
    const [part] = parse(row({ rule: `${rule}, part 2` })).get('secrets') ?? []
    expect(part?.where).toBe('behaviour/secrets#conventions, part 2')
  })

  test.each([
    [row({}).replace(/ \|$/, ''), 'a row has the cells | Name | Question | Choice |'],
    [row({ choice: 'One. | Two.' }), 'a row has the cells | Name | Question | Choice |'],
    [row({ name: 'null-body' }), 'null-body is not a name in kebab case and backticks'],
    [row({ name: '`Null`' }), '`Null` is not a name in kebab case and backticks'],
    [row({ about: '' }), '"" does not end with a period'],
    [row({ choice: 'As {}' }), '"As {}" does not end with a period'],
    [row({ evidence: 'chance' }), 'evidence "chance" is not one of decided here, extension, gap'],
    [row({ rule: '' }), '"" is not a link [api#rule](../behaviour/api.md#rule)'],
    [
      row({ rule: rule.replace('secrets.md', 'mesh.md') }),
      '"[secrets#conventions](../behaviour/mesh.md#conventions)" is not a link',
    ],
  ])('refuses %s, naming its line', (line, problem) => {
    expect(() => parse(line)).toThrow(`docs/reference/choices.md:7: ${problem}`)
  })

  test('refuses a row that belongs to no API', () => {
    expect(() => parseChoices(row({}))).toThrow(
      'docs/reference/choices.md:1: the row stands above all headings',
    )
  })
})
