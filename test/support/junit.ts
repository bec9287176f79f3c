/** Element of an XML document. `text` is the text before the first child element. */
interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

/**
 * Allowed content of an element, by the schema of JUnit's Ant task that most CI systems support:
 * required attributes with their patterns, optional attributes, and children in order.
 */
interface Rule {
  readonly required: Readonly<Record<string, RegExp>>
  readonly optional?: readonly string[]
  /** Names with numbers of occurrences: once, at most once, any number. */
  readonly children: readonly (readonly [name: string, count: '1' | '?' | '*'])[]
}

const nonEmpty = /\S/
const count = /^\d+$/
const seconds = /^\d+(\.\d+)?$/

const rules: Readonly<Record<string, Rule>> = {
  testsuites: { required: {}, children: [['testsuite', '*']] },
  testsuite: {
    required: {
      id: count,
      package: nonEmpty,
      name: nonEmpty,
      timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/,
      hostname: nonEmpty,
      tests: count,
      failures: count,
      errors: count,
      time: seconds,
    },
    optional: ['skipped'],
    children: [
      ['properties', '1'],
      ['testcase', '*'],
      ['system-out', '1'],
      ['system-err', '1'],
    ],
  },
  properties: { required: {}, children: [['property', '*']] },
  property: { required: { name: nonEmpty, value: /^/ }, children: [] },
  testcase: {
    required: { name: nonEmpty, classname: nonEmpty, time: seconds },
    children: [
      ['failure', '?'],
      ['skipped', '?'],
    ],
  },
  skipped: { required: {}, optional: ['message'], children: [] },
  failure: { required: { type: nonEmpty }, optional: ['message'], children: [] },
  'system-out': { required: {}, children: [] },
  'system-err': { required: {}, children: [] },
}

/**
 * Returns the suites of a JUnit document. Throws if the document violates the schema, or if a suite
 * has wrong counts.
 */
export function readJunit(text: string): readonly Element[] {
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === text) throw new Error('no XML declaration')
  const { element, rest } = readElement(body)
  if (rest.trim() !== '' || element.name !== 'testsuites') throw new Error('not one testsuites')
  check(element)
  for (const { attributes, children } of element.children) {
    const cases = children.filter(({ name }) => name === 'testcase')
    const failed = cases.filter(({ children: [first] }) => first?.name === 'failure')
    const [tests, failures] = [String(cases.length), String(failed.length)]
    if (attributes['tests'] !== tests || attributes['failures'] !== failures) {
      throw new Error(`wrong counts in ${attributes['name']}`)
    }
  }
  return element.children
}

function readElement(text: string): { element: Element; rest: string } {
  const begin = /^\s*<([\w-]+)((?: [\w-]+="[^"<>]*")*)(\/?)>/.exec(text)
  if (begin === null) throw new Error(`no element at ${text.slice(0, 60)}`)
  const [all, name = '', attributesText = '', closed] = begin
  const attributes = Object.fromEntries(
    Array.from(attributesText.matchAll(/ ([\w-]+)="([^"]*)"/g), ([, key = '', value = '']) => [
      key,
      unescapeXml(value),
    ]),
  )
  let rest = text.slice(all.length)
  const children: Element[] = []
  if (closed === '/') return { element: { name, attributes, children, text: '' }, rest }
  const [content = ''] = /^[^<>]*/.exec(rest) ?? []
  for (;;) {
    const end = new RegExp(`^[^<>]*</${name}>`).exec(rest)
    if (end !== null) {
      const element = { name, attributes, children, text: unescapeXml(content) }
      return { element, rest: rest.slice(end[0].length) }
    }
    const child = readElement(rest)
    children.push(child.element)
    rest = child.rest
  }
}

/** Returns a string with its XML entities decoded. Throws for an unknown entity and a bare `&`. */
function unescapeXml(text: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return text.replaceAll(/&(\w*;?)/g, (_, name: string) => {
    const sign = signs[name.slice(0, -1)]
    if (sign === undefined || !name.endsWith(';')) throw new Error(`a bare & in ${text}`)
    return sign
  })
}

function check({ name, attributes, children }: Element): void {
  const rule = rules[name]
  if (rule === undefined) throw new Error(`the schema has no ${name}`)
  for (const [key, form] of Object.entries(rule.required)) {
    if (!form.test(attributes[key] ?? '\n')) throw new Error(`${name} has a wrong ${key}`)
  }
  const known = new Set([...Object.keys(rule.required), ...(rule.optional ?? [])])
  for (const key of Object.keys(attributes)) {
    if (!known.has(key)) throw new Error(`${name} has no attribute ${key}`)
  }
  const names = children.map((child) => `<${child.name}>`).join('')
  const childPattern = rule.children
    .map(([child, many]) => `(<${child}>)${many === '1' ? '' : many}`)
    .join('')
  if (!new RegExp(`^${childPattern}$`).test(names)) throw new Error(`${name} holds ${names}`)
  for (const child of children) check(child)
}
