import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** Possible paths of Chromium or Chrome; `.ci/run` installs Debian's Chromium. */
const places = [
  process.env['UNDERSTUDY_CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Path of the browser for tests of pages; undefined if there is none. */
export const chromium = places.find((place) => place !== '' && existsSync(place))

/**
 * Path of Playwright's own build of Firefox, because Playwright cannot control others; undefined if
 * `UNDERSTUDY_FIREFOX` is not set.
 */
export const firefox = process.env['UNDERSTUDY_FIREFOX'] || undefined

/** Timeout of browser tests in milliseconds, generous for busy machines. */
export const browserTimeout = 60_000

export async function openBrowser(): Promise<Browser> {
  const { chromium: type } = await import('playwright-core')
  return type.launch({
    executablePath: chromium ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: browserTimeout,
  })
}

/** Starts the Firefox that `UNDERSTUDY_FIREFOX` names. */
export async function openFirefox(): Promise<Browser> {
  const { firefox: type } = await import('playwright-core')
  return type.launch({ executablePath: firefox ?? '', timeout: browserTimeout })
}

/** Page with the problems that occurred on it. */
export interface ObservedPage {
  readonly page: Page
  readonly close: () => Promise<void>
  /** Uncaught exceptions, and errors in the console except failed loads. */
  readonly problems: readonly string[]
}

/** Opens a page in a browser context of its own, and records its problems. */
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
    // The page shows refusals of the control plane to the user. The browser also logs them as
    // failed loads.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) problems.push(message.text())
  })
  await page.goto(url)
  return { page, problems, close: () => context.close() }
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Returns a page's violations of WCAG 2.2 AA and of axe's best practices, one string per element.
 */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // The debugger injects the script, because the page's own policy blocks other scripts.
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
