import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderTracePage } from '../../routes/trace/page.ts'
import { createUnderstudy } from '../../src/embedding/index.ts'
import { readTraceTemplate } from '../../src/server/inspector-files.ts'
import {
  accessibilityViolations,
  browserTimeout,
  chromium,
  firefox,
  observePage,
  openBrowser,
  openFirefox,
} from '../support/browser.ts'

/** Returns the page of a run in all APIs, with refused requests, a fork and a moved clock. */
async function pageOfRun(): Promise<string> {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    clock: 'frozen@2026-01-01T00:00:00Z',
  })
  try {
    understudy.traces.collector.start()
    const world = understudy.world()
    const headers = { 'x-vault-token': 'root', authorization: 'Bearer site-admin-token' }
    const ask = (method: 'GET' | 'POST', url: string, payload?: object) =>
      world.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    world.mark('the run begins')
    await ask('POST', '/v1/secret/data/app', { data: { color: 'blue' } })
    await ask('POST', '/v1/secret/data/app', { data: {}, options: { cas: 9 } })
    const TaskGroups = [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'docker' }] }]
    await ask('POST', '/v1/jobs', { Job: { ID: 'web', Datacenters: ['dc1'], TaskGroups } })
    world.clock.advance('10s')
    await ask('GET', '/api/v2/organizations')
    await world.fork('copy').inject({ url: '/v1/nowhere' })
    await understudy.inject({ url: '/_world/none/v1/sys/health' })
    return renderTracePage(
      await understudy.traces.packTrace({ command: ['pytest'] }),
      readTraceTemplate(),
    )
  } finally {
    await understudy.close()
  }
}

/** Presses Tab until a script holds for the focused element `element`. */
async function tabUntil(page: Page, script: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const holds = await page.evaluate(`{ const element = document.activeElement; ${script} }`)
    if (holds === true) return
  }
  throw new Error(`no element has the focus for which this holds: ${script}`)
}

const browsers = [
  ['Chromium', chromium, openBrowser],
  ['Firefox', firefox, openFirefox],
] as const

describe.each(browsers)(
  'behaviour/program#traces: the screens of a trace in %s',
  (_, path, open) => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-screens-'))
    const file = join(folder, 'trace.html')
    let browser: Browser
    beforeAll(async () => {
      if (path === undefined) return
      browser = await open()
      writeFileSync(file, await pageOfRun())
    }, browserTimeout)
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true })
    })

    test.skipIf(path === undefined).each(['light', 'dark'] as const)(
      'each is reached and used by keyboard, without violations of accessibility (%s)',
      async (colorScheme) => {
        const url = pathToFileURL(file).href
        const opened = await observePage(browser, url, { colorScheme, offline: true })
        const { page } = opened
        const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
        await links.first().waitFor()
        const titles = await links.allTextContents()
        expect(titles).toEqual([
          'Requests',
          'State',
          'Time',
          'Machines',
          'Secrets',
          'Platform',
          'Mesh',
          'Worlds and setup',
        ])
        for (const title of titles) {
          await tabUntil(page, `element.closest('nav') && element.innerText === '${title}'`)
          await page.keyboard.press('Enter')
          await page.locator('nav a[aria-current=page]', { hasText: title }).waitFor()
          expect([title, await accessibilityViolations(page)]).toEqual([title, []])
        }
        await page.evaluate("location.hash = '#/requests'")
        await tabUntil(page, "element.getAttribute('role') === 'listbox'")
        // The second request is the refused one.
        for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
        await page.getByText('options.cas is 9').first().waitFor()
        expect(await accessibilityViolations(page)).toEqual([])
        expect(opened.problems).toEqual([])
        await opened.close()
      },
      browserTimeout,
    )
  },
)
