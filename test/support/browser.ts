import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** Where a Chromium may be; `.ci/run` installs Debian's. */
const places = [
  process.env['UNDERSTUDY_CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The browser that tests of pages use; undefined where there is none. */
export const chromium = places.find((place) => place !== '' && existsSync(place))

/** Machines that do other things too are slow; nothing here waits longer than it must. */
export const browserTimeout = 60_000

/** Starts the browser. */
export async function openBrowser(): Promise<Browser> {
  const { chromium: type } = await import('playwright-core')
  return type.launch({
    executablePath: chromium ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: browserTimeout,
  })
}

/** A page, and what went wrong on it. */
export interface ObservedPage {
  readonly page: Page
  readonly close: () => Promise<void>
  /** Exceptions, and what the browser refused: scripts, styles and connections from elsewhere. */
  readonly problems: readonly string[]
}

/** Opens a page with nothing kept of others. */
export async function observePage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ObservedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(browserTimeout)
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    // Refusals of the control plane are shown on the page; the browser tells them too.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) problems.push(message.text())
  })
  await page.goto(url)
  return { page, problems, close: () => context.close() }
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What a page has against the rules of WCAG 2.2 AA, one line for each place. */
export async function accessViolations(page: Page): Promise<readonly string[]> {
  // By the debugger: the page's own policy lets no script in.
  const isThere = await page.evaluate('typeof axe === "object"')
  if (!isThere) await page.evaluate(readFileSync(axe, 'utf8'))
  const results = await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  })`)
  const { violations } = results as {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
    }[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  )
}
