import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../src/embedding/index.ts'
import { accessibilityViolations, chromium } from '../support/browser.ts'
import { inspector } from '../support/inspector.ts'

/** Malicious name that tries to inject markup. */
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe.skipIf(chromium === undefined)('behaviour/program#inspector: in a browser', () => {
  const inspect = inspector({ options: { control: { journalSize: 10_000 } } })

  test(
    'text from clients is shown as text, be it markup, right to left or ten thousand characters',
    inspect(async ({ ask, open, world }) => {
      const names = [hostile, '\u202e\u05d0\u05d1 \u202dabc', 'x'.repeat(10_000)]
      for (const name of names) {
        await ask('POST', `/v1/secret/data/${encodeURIComponent(name)}`, { data: { [name]: name } })
        await ask('POST', '/v1/sys/mounts/mine', { type: name, description: name })
      }
      const page = await open('', { viewport: { width: 390, height: 800 } })
      for (let at = 1; at <= names.length * 2; at += 1) {
        await page.evaluate(`location.hash = '#/requests/r${at}?tab=exchange'`)
        await page.getByRole('region', { name: 'Reply' }).waitFor()
        await page.getByRole('tab', { name: 'Why?' }).click()
        await page.getByText('Checks in order').waitFor()
      }
      const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect(wide).toBe(false)
      expect(await accessibilityViolations(page)).toEqual([])
      expect(await page.title()).toBe(`Requests · ${world.id} · infra-understudy`)
      expect(await page.locator('main img, main script').count()).toBe(0)
    }),
    120_000,
  )

  test(
    'ten thousand requests take only a few rows of the page',
    inspect(async ({ open, world }) => {
      for (let at = 0; at < 10_000; at += 1) await world.inject(`/v1/sys/health?n=${at}`)
      const page = await open()
      const list = page.getByRole('listbox')
      await page.getByText('10000', { exact: true }).waitFor()
      await list.getByText('r10000').waitFor()
      expect(await list.getByRole('option').count()).toBeLessThan(80)
      await list.focus()
      await page.keyboard.press('Home')
      await list.getByText('r1', { exact: true }).waitFor()
      expect(await list.getByRole('option').count()).toBeLessThan(80)
    }),
    180_000,
  )

  test(
    'five thousand jobs take only a few rows of the page',
    inspect(async ({ ask, open, world }) => {
      const TaskGroups = [{ Name: 'g', Count: 0, Tasks: [{ Name: 't', Driver: 'mock' }] }]
      await ask('POST', '/v1/jobs', { Job: { ID: 'job-0000', Datacenters: ['dc1'], TaskGroups } })
      const tables: Record<string, Record<string, object>> = {}
      for (const name of ['jobs', 'job-versions']) {
        const [first] = Object.entries(world.serviceState('scheduler').tables?.[name] ?? {})
        const [key, row] = first ?? ['', {}]
        const copies = Array.from({ length: 5_000 }, (_, at) => {
          const id = `job-${String(at).padStart(4, '0')}`
          const copy = JSON.parse(JSON.stringify(row).replaceAll('job-0000', id))
          return [key.replace('job-0000', id), copy] as const
        })
        tables[name] = Object.fromEntries(copies)
      }
      world.importState({ scheduler: { tables } })
      const page = await open('#/state?of=scheduler')
      const list = page.getByRole('tree')
      await list.getByText('job-0003').waitFor()
      expect(await list.getByRole('treeitem').count()).toBeLessThan(80)
      await list.getByText('job-0003').click()
      for (let pages = 0; pages < 3; pages += 1) await page.keyboard.press('PageDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /default\/job-00[^0]/ }).waitFor()
      expect(await list.getByRole('treeitem').count()).toBeLessThan(80)
      await page.getByRole('searchbox').fill('job-4999')
      await page.getByText('Export 1', { exact: true }).waitFor()
    }),
    180_000,
  )

  test(
    'the inspector and its events work behind a proxy with a path prefix',
    inspect(async ({ ask, openAt, url, world }) => {
      const proxy = createServer((asked, answer) => {
        const path = asked.url?.replace(/^\/tools\/mock/, '') ?? ''
        const { method = 'GET', headers } = asked
        const passed = request(url + path, { method, headers }, (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(answer)
        })
        answer.on('close', () => passed.destroy())
        passed.on('error', () => answer.destroy())
        asked.pipe(passed)
      })
      await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
      const { port } = proxy.address() as AddressInfo
      const outside = `http://127.0.0.1:${port}/tools/mock`
      const { page, problems, close } = await openAt(`${outside}/_world/${world.id}/`)
      expect(page.url()).toMatch(`${outside}/_world/${world.id}/_mock/ui`)
      await page.getByText('live', { exact: true }).waitFor()
      await ask('GET', '/v1/sys/health')
      await page.getByRole('option', { name: '/v1/sys/health' }).click()
      await page.getByRole('button', { name: 'Rewind to before this' }).click()
      await page.getByRole('button', { name: 'Yes' }).click()
      await page.getByText('Rewound to before r1').waitFor()
      expect(problems).toEqual([])
      await close()
      await new Promise((done) => proxy.close(done))
    }),
    120_000,
  )

  test('the address of a world leads to its inspector, which asks for the control token once', async () => {
    const understudy = await createUnderstudy({ controlToken: 'sesame' })
    onTestFinished(() => understudy.close())
    const url = await understudy.listen()
    understudy.createWorld({ id: 'mine' })
    await inspect(async ({ openAt }) => {
      const { page, problems } = await openAt(`${url}/_world/mine/`)
      await page.getByRole('textbox', { name: 'Control token' }).fill('wrong')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('That is not the right token.').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('textbox', { name: 'Control token' }).fill('sesame')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('live', { exact: true }).waitFor()
      expect(await page.getByRole('combobox', { name: /^World/ }).inputValue()).toBe('mine')
      await understudy.inject('/_world/mine/v1/sys/health')
      await page.getByRole('option', { name: '/v1/sys/health' }).waitFor()
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
      expect(problems).toEqual([])
    })()
  }, 120_000)

  test('a page of another origin can neither load the inspector nor call the control plane', async () => {
    const other = await createUnderstudy()
    onTestFinished(() => other.close())
    const elsewhere = await other.listen()
    await inspect(async ({ url, openAt }) => {
      const { page } = await openAt(`${elsewhere}/v1/sys/health`)
      const refused = await page.evaluate(async (address) => {
        const options = { method: 'POST', body: '{}' }
        const reply = await fetch(`${address}/_mock/reset`, options).catch(() => undefined)
        return reply === undefined
      }, url)
      expect(refused).toBe(true)
      const reply = await fetch(`${url}/_mock/ui`, { headers: { origin: elsewhere } })
      expect(reply.status).toBe(403)
    })()
  }, 120_000)
})

describe.skipIf(chromium !== undefined)('behaviour/program#inspector: without a browser', () => {
  test.skip('SKIPPED: no Chromium is here; apt-get install chromium, or UNDERSTUDY_CHROMIUM says where', () => {})
})
