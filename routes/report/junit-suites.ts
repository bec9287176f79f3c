/** One thing that a suite tells, as CI systems show tests. */
export interface Case {
  /** Where it belongs: a service, say. */
  readonly group: string
  readonly name: string
  /** How long it took. Default: 0. */
  readonly seconds?: number
  /** Undefined for what went well. */
  readonly failure?: { readonly type: string; readonly message: string }
  /** Why it was not tried. */
  readonly skipped?: string
}

/** Cases of one kind. */
export interface Suite {
  readonly name: string
  readonly cases: readonly Case[]
  /** Lines for those who want to know more. */
  readonly output?: readonly string[]
}

/** The facts that all suites of a document share. */
export interface SuiteContext {
  /** What was tested: a world, a command. */
  readonly subject: string
  /** RFC 3339. */
  readonly at: string
  readonly properties: Readonly<Record<string, string | number>>
}

/** Writes suites as JUnit XML, in the order and with the attributes that the common schemas ask for. */
export function writeSuites(suites: readonly Suite[], context: SuiteContext): string {
  const suiteElements = suites.map((suite, place) => writeSuite(suite, place, context))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suiteElements.join('')}</testsuites>\n`
}

function writeSuite(
  { name, cases, output = [] }: Suite,
  place: number,
  { subject, at, properties }: SuiteContext,
): string {
  const skipped = cases.filter((each) => each.skipped !== undefined).length
  const attributes = {
    id: place,
    package: subject,
    name,
    // The schemas take neither a fraction nor a zone.
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

/** To milliseconds. */
function roundMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')
}

/** Text for XML 1.0, which cannot hold every character. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
