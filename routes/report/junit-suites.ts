/** A single result of a suite. CI systems show it as a test. */
export interface Case {
  /** Group of the case, such as a service. */
  readonly group: string
  readonly name: string
  /** Duration in seconds. Default: 0. */
  readonly seconds?: number
  /** The failure; undefined for a case that passed. */
  readonly failure?: { readonly type: string; readonly message: string }
  /** Reason for skipping the case; undefined if the case ran. */
  readonly skipped?: string
}

export interface Suite {
  readonly name: string
  readonly cases: readonly Case[]
  /** Lines with details about the suite as a whole. */
  readonly output?: readonly string[]
}

/** The data that all suites of a document share. */
interface SuiteContext {
  /** Subject of the test: a world or a command. */
  readonly subject: string
  /** Timestamp of the suites, in RFC 3339. */
  readonly at: string
  readonly properties: Readonly<Record<string, string | number>>
}

/**
 * Formats suites as JUnit XML, with the order and the attributes that the common schemas require.
 */
export function writeSuites(suites: readonly Suite[], context: SuiteContext): string {
  const suiteElements = suites.map((suite, index) => writeSuite(suite, index, context))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suiteElements.join('')}</testsuites>\n`
}

function writeSuite(
  { name, cases, output = [] }: Suite,
  index: number,
  { subject, at, properties }: SuiteContext,
): string {
  const skipped = cases.filter((each) => each.skipped !== undefined).length
  const attributes = {
    id: index,
    package: subject,
    name,
    // The schemas allow neither fractions of seconds nor a time zone.
    timestamp: at.slice(0, 'yyyy-mm-ddThh:mm:ss'.length),
    hostname: 'localhost',
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    ...(skipped > 0 ? { skipped } : {}),
    time: roundMilliseconds(cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0)),
  }
  const propertyElements = Object.entries(properties).map(
    ([property, value]) => `<property${attributesText({ name: property, value })}/>`,
  )
  return [
    `  <testsuite${attributesText(attributes)}>\n`,
    `    <properties>${propertyElements.join('')}</properties>\n`,
    ...cases.map(writeCase),
    `    <system-out>${escapeXml(output.join('\n'))}</system-out>\n`,
    '    <system-err></system-err>\n  </testsuite>\n',
  ].join('')
}

function writeCase({ group, name, seconds = 0, failure, skipped }: Case): string {
  const begin = `    <testcase${attributesText({ classname: group, name, time: roundMilliseconds(seconds) })}`
  if (skipped !== undefined) {
    return `${begin}><skipped${attributesText({ message: skipped })}/></testcase>\n`
  }
  if (failure === undefined) return `${begin}/>\n`
  const { message } = failure
  return `${begin}><failure${attributesText(failure)}>${escapeXml(message)}</failure></testcase>\n`
}

function roundMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')
}

/** Escapes a text for XML 1.0. Characters that XML 1.0 cannot represent become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
