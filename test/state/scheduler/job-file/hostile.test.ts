import { describe, expect, test } from 'vitest'
import { parse, refusal } from './support.ts'

/** Time limit in milliseconds, far above what these files need, because the machine may be busy. */
const PATIENCE = 5_000
/**
 * Returns a reference. The text is composed, because linters mistake the literal for a template.
 */
const of = (reference: string): string => `$${'{'}${reference}}`
const TOO_EXPENSIVE = /^Failed to parse job: .*Evaluation too expensive; /
const inTask = (inside: string): string =>
  `job "j" {\n group "g" {\n task "t" {\n${inside}\n}\n}\n}`
const inJob = (inside: string): string => `job "j" {\n${inside}\n}`
const repeated = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

/** Returns nested `dynamic` blocks, each over the same list. */
const nestedDynamic = (types: readonly string[], list: string): string =>
  types.reduceRight(
    (inner, type) =>
      `dynamic "${type}" {\n for_each = ${list}\n ${['group', 'task', 'port'].includes(type) ? 'labels = ["x"]' : ''}\n content {\n${inner}\n}\n}`,
    '',
  )

const LONG = 'x'.repeat(500_000)

const expensive: readonly (readonly [name: string, text: string, variables?: string])[] = [
  [
    'locals that double',
    `locals {\n a0 = "ha"\n${repeated(60, (index) => ` a${index + 1} = "${of(`local.a${index}`)}${of(`local.a${index}`)}"`)}\n}\n${inJob('name = local.a60')}`,
  ],
  [
    'lists of lists that double, in driver configuration',
    `locals {\n a0 = ["ha"]\n${repeated(60, (index) => ` a${index + 1} = [local.a${index}, local.a${index}]`)}\n}\n${inTask('config {\n x = local.a60\n}')}`,
  ],
  [
    'loops in loops',
    inJob(
      'name = length([for a in range(0, 1000) : [for b in range(0, 1000) : [for c in range(0, 1000) : a]]])',
    ),
  ],
  [
    'dynamic blocks in dynamic blocks',
    inJob(nestedDynamic(['group', 'task', 'template', 'wait'], 'range(0, 1000)')),
  ],
  [
    'a dynamic block over very much',
    inJob(nestedDynamic(['constraint'], 'flatten([for a in range(0, 100) : range(0, 1000)])')),
  ],
  [
    'a long text in many blocks',
    `variables {\n long = "${LONG}"\n}\n${inJob('dynamic "affinity" {\n for_each = range(0, 1000)\n content {\n value = var.long\n}\n}')}`,
  ],
  [
    'a long text as the label of many blocks',
    `variables {\n long = "${LONG}"\n}\n${inJob('dynamic "group" {\n for_each = range(0, 1000)\n labels = [var.long]\n content {\n}\n}')}`,
  ],
  [
    'a long list that many tasks inherit',
    `variables {\n long = "${LONG}"\n}\n${inJob('secrets {\n policies = [var.long]\n}\ndynamic "task" {\n for_each = range(0, 1000)\n labels = ["t"]\n content {\n}\n}')}`,
  ],
  [
    'a long text from the values of variables',
    `variables {\n long = ""\n}\n${inJob('dynamic "affinity" {\n for_each = range(0, 1000)\n content {\n value = var.long\n}\n}')}`,
    `long = "${LONG}"`,
  ],
  [
    'functions that multiply',
    inJob(
      `name = replace(replace("${'a'.repeat(1000)}", "a", "${'a'.repeat(1000)}"), "a", "${'a'.repeat(1000)}")`,
    ),
  ],
]

describe('behaviour/scheduler#job-files: texts that would take a server long', () => {
  const cases = expensive.map(([name, text, variables]) => ({ name, text, variables }))
  // choice/scheduler#job-file-budget
  test.each(cases)('$name', ({ text, variables }) => {
    const started = performance.now()
    const message = refusal(text, variables)
    expect(message).toMatch(TOO_EXPENSIVE)
    expect(message.split('\n')).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(PATIENCE)
  })

  test.each([
    ['blocks', inTask(`config {\n${'a {\n'.repeat(5000)}${'}\n'.repeat(5000)}}`)],
    ['lists', inJob(`name = ${'['.repeat(5000)}${']'.repeat(5000)}`)],
    ['templates', inJob(`name = ${'"$'.concat('{').repeat(5000)}1${'}"'.repeat(5000)}`)],
    ['JSON', `{"job": {"j": {"name": ${'['.repeat(5000)}${']'.repeat(5000)}}}}`],
  ])('nested too deeply: %s', (_, text) => {
    const message = refusal(text)
    expect(message).toMatch(
      /^Failed to parse job: input\.hcl:[\d,-]+: Nesting too deep; More than 250 levels are nested here\.$/,
    )
    expect(message.length).toBeLessThan(500)
  })

  // choice/scheduler#job-file-size
  test.each([
    ['native syntax', inJob(`#${'x'.repeat(1024 * 1024)}`), undefined],
    ['JSON', `{"//": "${'x'.repeat(1024 * 1024)}"}`, undefined],
    ['values of variables', inJob(''), `#${'x'.repeat(1024 * 1024)}`],
  ])('more than a megabyte: %s', (_, text, variables) => {
    expect(refusal(text, variables)).toMatch(
      /<nil>: Document too large; The document is longer than the 1048576 characters allowed\.$/,
    )
  })

  test('a range that is too long is refused as by the reference', () => {
    expect(refusal(inJob('name = length(range(0, 1000000000))'))).toBe(
      'Failed to parse job: input.hcl:2,15-21: Error in function call; Call to function "range" failed: more than 1024 values were generated; either decrease the difference between start and end or use a smaller step.\n' +
        'input.hcl:2,8-36: Unsuitable value type; Unsuitable value: value must be known',
    )
  })

  // choice/scheduler#job-file-order-of-problems
  test('a file full of mistakes gets a hundred errors', () => {
    const started = performance.now()
    const message = refusal(inJob(repeated(30_000, (index) => `regiom${index} = 1`)))
    expect(message.split('\n')).toHaveLength(100)
    expect(performance.now() - started).toBeLessThan(PATIENCE)
  })

  test('a mistake in each of many blocks gets a hundred errors', () => {
    const text = inJob(
      'dynamic "constraint" {\n for_each = range(0, 1000)\n content {\n nonsense = 1\n}\n}',
    )
    expect(refusal(text).split('\n')).toHaveLength(100)
  })

  test('a heredoc whose marker is as long as the file', () => {
    const marker = 'X'.repeat(300_000)
    expect(parse(inJob(`name = <<${marker}\na\n${marker}\n`)).Name).toBe('a\n')
    expect(refusal(inJob(`name = <<${marker}\na\n`))).toMatch(/^Failed to parse job: /)
  })

  test('names as long as the file', () => {
    const started = performance.now()
    const name = 'n'.repeat(900_000)
    expect(refusal(inJob(`${name} = 1`))).toContain('is not expected here.')
    expect(refusal(inJob(`${name} {\n}`))).toContain('are not expected here.')
    expect(performance.now() - started).toBeLessThan(PATIENCE)
  })

  test('a large valid file is parsed', () => {
    const started = performance.now()
    const text = inJob(repeated(5_000, (index) => `group "g${index}" {\n  count = ${index}\n}`))
    const groups = parse(text).TaskGroups ?? []
    expect(groups).toHaveLength(5_000)
    expect(groups.at(-1)).toMatchObject({ Name: 'g4999', Count: 4999 })
    expect(performance.now() - started).toBeLessThan(PATIENCE)
  })

  test('a hostile file does not affect how the next file is parsed', () => {
    expect(refusal(expensive[0]?.[1] ?? '')).toMatch(TOO_EXPENSIVE)
    expect(parse(inJob('name = "fine"')).Name).toBe('fine')
  })
})
