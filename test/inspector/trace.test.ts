import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTrace, renderTracePage } from '../../routes/trace/page.ts'
import type { Trace } from '../../routes/trace/trace.ts'
import { readTraceTemplate } from '../../src/server/inspector-files.ts'
import {
  accessibilityViolations,
  browserTimeout,
  chromium,
  observePage,
  openBrowser,
} from '../support/browser.ts'
import { requestStep, tracedEntry, tracedWorld, traceOf } from '../support/traces.ts'

const at = '2026-01-01T00:00:00Z'

/** Returns a run in which a write was refused, with a change between the requests. */
function refusedRun(): Trace {
  const row = (value: string) => ({ name: 'app', note: value })
  const steps = [
    {
      kind: 'changes',
      ms: 5,
      at,
      request: 'r1',
      changes: [{ table: 'secrets.groups', key: 'kv/app', after: row('one') }],
    },
    requestStep({ id: 'r1', method: 'POST', path: '/v1/kv/app', committed: true, status: 204 }),
    {
      kind: 'changes',
      ms: 20,
      at,
      changes: [{ table: 'secrets.groups', key: 'kv/app', before: row('one'), after: row('two') }],
    },
    { kind: 'mark', ms: 25, at, text: 'test "stores a secret" begins' },
    {
      ...requestStep(),
      entry: tracedEntry({
        id: 'r2',
        method: 'POST',
        path: '/v1/secret/data/<img src=x onerror=document.title=1>',
        status: 400,
        outcome: 'refused',
        rule: 'cas-mismatch',
      }),
      explanation: {
        id: 'r2',
        request: { method: 'POST', path: '/v1/secret/data/app' },
        outcome: 'refused',
        rule: 'cas-mismatch',
        because: 'The secret has version 2, not 1.',
        steps: [{ check: 'operation', passed: false, detail: 'The secret has version 2, not 1.' }],
        nearest: [],
        wouldPass: { change: 'Send cas 2.' },
        spec: 'behaviour/program#explanations',
        decision: null,
      },
    },
  ] as Trace['worlds'][number]['steps']
  return traceOf({
    worlds: [
      tracedWorld({
        steps,
        open: [
          {
            id: 'r3',
            service: 'mesh',
            method: 'GET',
            path: '/v1/kv/lock',
            at,
            ageMs: 9000,
            worldAgeMs: 0,
          },
        ],
      }),
    ],
    unattributed: [{ ms: 3, kind: 'tls-error', detail: 'The client spoke TLS to a plain port.' }],
  })
}

/** Returns a run whose names and bodies would run scripts if they were not shown as text. */
function hostileRun(): { readonly trace: Trace; readonly markup: string } {
  const markup = '</script><script>hasRun = 1</script><img src=x onerror=hasRun=1><!--'
  let deep: unknown = markup
  for (let level = 0; level < 5_000; level += 1) deep = [deep]
  const bodies = [
    { text: `${markup}\u2028\u2029\0${'x'.repeat(10_000_000)}` },
    { [markup]: markup },
    deep,
  ]
  const steps = bodies.flatMap((body, index) => {
    const key = `${markup}${index}`
    const changes = [{ table: 'mesh.keys', key, after: { key, value: markup } }]
    return [
      { kind: 'changes', ms: index, at, request: `r${index + 1}`, changes },
      requestStep({ id: `r${index + 1}`, service: 'mesh', path: `/v1/kv/${markup}`, body }),
      { kind: 'mark', ms: index, at, text: markup },
    ]
  }) as Trace['worlds'][number]['steps']
  return { trace: traceOf({ worlds: [tracedWorld({ steps })] }), markup }
}

describe.skipIf(chromium === undefined)('behaviour/program#traces: the page of a trace', () => {
  let browser: Browser
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  beforeAll(async () => {
    browser = await openBrowser()
  }, browserTimeout)
  afterAll(() => browser.close())

  async function withTrace(
    trace: Trace,
    work: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const file = join(folder, 'trace.html')
    writeFileSync(file, await renderTracePage(trace, readTraceTemplate()))
    const opened = await observePage(browser, pathToFileURL(file).href, {
      ...options,
      offline: true,
    })
    try {
      await work(opened.page)
      expect(opened.problems).toEqual([])
    } finally {
      await opened.close()
    }
  }

  test(
    'a refused request is explained from the file alone, offline, in both colour schemes',
    async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await withTrace(
          refusedRun(),
          async (page) => {
            await page.getByText('pytest: exit code 1').waitFor()
            await page.getByText('cas-mismatch').click()
            await page.getByText('The secret has version 2, not 1.').first().waitFor()
            await page.getByText('Send cas 2.').waitFor()
            expect(await page.getByRole('button', { name: 'Send it' }).count()).toBe(0)
            expect(await page.getByRole('button', { name: 'Rewind' }).count()).toBe(0)
            expect(await accessibilityViolations(page)).toEqual([])
            expect(await page.locator('main img').count()).toBe(0)
          },
          { colorScheme },
        )
      }
    },
    browserTimeout,
  )

  test(
    'the state is shown as of a request and at the end',
    () =>
      withTrace(refusedRun(), async (page) => {
        await page.evaluate("location.hash = '#/state/groups kv%2Fapp?of=secrets&at=r1'")
        await page.getByText('State right after r1').waitFor()
        await page.getByText('one').first().waitFor()
        await page.getByRole('button', { name: 'Back to the end' }).click()
        await page.getByText('State at the end').waitFor()
      }),
    browserTimeout,
  )

  test(
    'open requests, requests without a world, marks and changes by no request are shown',
    () =>
      withTrace(refusedRun(), async (page) => {
        await page.getByText('/v1/kv/lock').waitFor()
        await page.getByText('The client spoke TLS to a plain port.').waitFor()
        await page.getByRole('link', { name: 'Time' }).click()
        await page.getByText('test "stores a secret" begins').waitFor()
        await page.getByText('1 row').waitFor()
      }),
    browserTimeout,
  )

  test(
    'content that looks like markup, 10 MB in a line and deep nesting are shown as text',
    async () => {
      const { trace, markup } = hostileRun()
      await withTrace(trace, async (page) => {
        await page.getByText('r2', { exact: true }).waitFor()
        for (const id of ['r1', 'r2', 'r3']) {
          await page.evaluate(`location.hash = '#/requests/${id}'`)
          await page.getByRole('tab', { name: 'Request and reply' }).click()
          await page.getByText(markup).first().waitFor()
        }
        await page.evaluate("location.hash = '#/state?of=mesh'")
        await page.getByText(markup).first().waitFor()
        await page.getByRole('link', { name: 'Time' }).click()
        await page.getByText(markup).first().waitFor()
        // A handler or a script in the content would have set this.
        expect(await page.evaluate('globalThis.hasRun')).toBe(undefined)
        expect(await page.locator('main img').count()).toBe(0)
      })
    },
    browserTimeout,
  )

  test('the page takes at most 400 KB, and its data are read back', async () => {
    const template = readTraceTemplate()
    expect(Buffer.byteLength(template)).toBeLessThan(400_000)
    expect(readTrace(await renderTracePage(refusedRun(), template))).toEqual(refusedRun())
  })
})
