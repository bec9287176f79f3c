import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy, type UnderstudyOptions } from '../../src/index.ts'
import {
  accessViolations,
  chromium,
  openBrowser,
  patience,
  watchedPage,
} from '../support/browser.ts'

/** A name as somebody may choose it who means no good. */
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

interface Server {
  readonly understudy: Understudy
  readonly url: string
  /** Asks an API as root. */
  readonly ask: (method: string, path: string, payload?: object, token?: string) => Promise<void>
}

async function started(options: UnderstudyOptions = {}): Promise<Server> {
  const understudy = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    seed: 'inspector',
    ...options,
  })
  onTestFinished(() => understudy.close())
  const url = await understudy.listen()
  const ask: Server['ask'] = async (method, path, payload, token = 'root') => {
    const headers = { 'x-secrets-token': token, 'content-type': 'application/json' }
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) }
    await understudy.inject({ method, url: path, headers, ...body })
  }
  return { understudy, url, ask }
}

describe.skipIf(chromium === undefined)('behaviour/program#inspector: in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, patience)
  afterAll(() => browser.close())

  const inspect = (url: string, place = '', options = {}) =>
    watchedPage(browser, `${url}/_mock/ui${place}`, options)

  test('Requests: a refusal is understood and mended from the page alone', async () => {
    const { url, ask } = await started()
    await ask('POST', '/v1/secret/data/app/db', { data: { user: 'ada' } })
    await ask('POST', '/v1/secret/data/app/db', { data: { user: 'eve' }, options: { cas: 0 } })
    const { page, mistakes } = await inspect(url)
    const list = page.getByRole('listbox', { name: 'List of requests' })
    await list.getByText('400').click()
    await page.getByText('options.cas is 0, but app/db is at version 1.').first().waitFor()
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('Answered 200 as r3').waitFor()
    await page.getByRole('tab', { name: 'Changes (2)' }).click()
    await page.getByText('"current_version": 2').waitFor()
    expect(await page.getByText('fp:').count()).toBe(0)
    expect(await accessViolations(page)).toEqual([])
    expect(mistakes).toEqual([])
  }, 120_000)

  test('Requests: live, filtered, moved in by the keyboard, failed and rewound', async () => {
    const { understudy, url, ask } = await started()
    const { page, mistakes } = await inspect(url, '', { colorScheme: 'dark' })
    await page.getByText('Nobody has asked').waitFor()
    await ask('POST', '/v1/secret/data/a', { data: { n: 1 } })
    await ask('GET', '/v1/secret/data/a')
    await ask('GET', '/v1/namespaces')
    const list = page.getByRole('listbox')
    await list.getByRole('option').nth(2).waitFor()
    await list.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'GET /v1/secret/data/a' }).waitFor()
    await page.getByRole('button', { name: 'Fail the next one like this' }).click()
    await page.getByRole('button', { name: 'Add the fault' }).click()
    await page.getByText('503 for the next one, as fault').waitFor()
    await ask('GET', '/v1/secret/data/a')
    await list.getByText('503').waitFor()
    await page.getByRole('searchbox').fill('data 503')
    await page.getByText('1 of 4').waitFor()
    await page.getByRole('searchbox').fill('')
    expect(await accessViolations(page)).toEqual([])
    await page.keyboard.press('Tab')
    await list.focus()
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Rewind to before this' }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('The world is as it was before r1').waitFor()
    expect(JSON.stringify(understudy.world().serviceState('secrets'))).not.toContain('"n":1')
    expect(mistakes).toEqual([])
  }, 120_000)

  test('State: a secret with its versions, written in place; what a policy lets a token do', async () => {
    const { url, ask, understudy } = await started()
    await ask('POST', '/v1/secret/data/app/db', { data: { password: 'lovelace' } })
    await ask('POST', '/v1/secret/data/app/db', { data: { password: 'byron' } })
    const policy = '# of the app\npath "secret/data/app/*" { capabilities = ["read"] }'
    await ask('PUT', '/v1/sys/policies/acl/app', { policy })
    await ask('POST', '/v1/auth/token/create', { policies: ['app'], ttl: '90m' })
    const { page, mistakes } = await inspect(url, '#/state')
    const list = page.getByRole('listbox')
    await list.getByText('secret/app/db').click()
    await page.getByRole('button', { name: 'Write a new version' }).waitFor()
    expect(await page.getByText('byron').count()).toBe(0)
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Write a new version' }).click()
    await page.getByRole('textbox', { name: 'Write a new version' }).fill('{"password":"king"}')
    await page.getByRole('button', { name: 'Write', exact: true }).click()
    await page.getByText('version 3 since 2').waitFor()
    await page.getByRole('button', { name: 'Show secrets' }).click()
    await page.getByText('"password": "king"').waitFor()
    expect(JSON.stringify(understudy.world().serviceState('secrets'))).toContain('king')
    await list.getByText('root/app').click()
    await page.getByRole('textbox', { name: 'Path' }).fill('secret/data/app/db')
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('policy app, line 2').waitFor()
    await page.getByText('Allowed').waitFor()
    await page.getByRole('searchbox').fill('tokens')
    await list.getByText('token ·').click()
    await page.getByText('1 h 30 m').waitFor()
    expect(await accessViolations(page)).toEqual([])
    expect(mistakes).toEqual([])
  }, 120_000)

  test('Time: moved to what is due, kept, compared and taken back', async () => {
    const { url, ask, understudy } = await started()
    const { page, mistakes } = await inspect(url, '#/time', { colorScheme: 'dark' })
    await page.getByText('Nothing falls due.').waitFor()
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    await ask('POST', '/v1/auth/token/create', { id: 'short', ttl: '90m' })
    await page.getByText('secrets.token.expire').waitFor()
    await page.getByRole('button', { name: '+1 h' }).click()
    await page.getByRole('button', { name: 'in 30 m' }).click()
    await page.getByText('1 things fell due').waitFor()
    expect(understudy.world().clock.view().now).toBe('2026-01-01T01:30:00Z')
    expect(await accessViolations(page)).toEqual([])
    await ask('POST', '/v1/secret/data/a', { data: { n: 1 } })
    await page.getByRole('button', { name: /^Compare/ }).click()
    await page.getByText('secrets.kv2-keys').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('The world is as it was at').waitFor()
    expect(understudy.world().clock.view().now).toBe('2026-01-01T00:00:00Z')
    await page.getByRole('button', { name: /^Fork/ }).click()
    await page.getByText(/World .* goes on from/).waitFor()
    expect(understudy.worlds().length).toBe(2)
    expect(mistakes).toEqual([])
  }, 120_000)

  test('Machines: the present state is lit, and allowed moves move', async () => {
    const { url, understudy } = await started()
    const { page, mistakes } = await inspect(url, '#/machines')
    const node = page.getByRole('region', { name: 'secrets.node' })
    await node.getByRole('button', { name: 'Move to sealed' }).click()
    await page.getByText('self: sealed').waitFor()
    await node.locator('[aria-current]', { hasText: 'sealed' }).waitFor()
    expect((await understudy.inject('/v1/sys/health')).statusCode).toBe(503)
    await page.getByRole('region', { name: 'Cluster' }).getByText('3 nodes').waitFor()
    expect(await accessViolations(page)).toEqual([])
    expect(mistakes).toEqual([])
  }, 120_000)

  test('Worlds: made and forked; variables, options, presets and the report', async () => {
    const { url, understudy } = await started()
    const { page, mistakes } = await inspect(url, '#/worlds')
    await page.getByRole('textbox', { name: 'Name of a new world' }).fill('mine')
    await page.getByRole('button', { name: 'Make a world' }).click()
    await page.getByRole('rowheader', { name: 'mine' }).waitFor()
    await page.getByText("VAULT_TOKEN='••••••'", { exact: false }).first().waitFor()
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('tab', { name: 'Options' }).click()
    await page.getByRole('searchbox').fill('kvVersion')
    await page.getByRole('textbox', { name: 'secrets.kvVersion' }).fill('1')
    await page.getByRole('button', { name: 'Set secrets.kvVersion' }).click()
    await page.getByText('secrets.kvVersion is 1').waitFor()
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'On: any-unavailable' }).click()
    await page.getByText('0 hits of 0').waitFor()
    expect((await understudy.inject('/v1/namespaces')).statusCode).toBe(503)
    await page.getByText('1 hits of 1').waitFor()
    await page.getByRole('button', { name: 'Off: any-unavailable' }).click()
    await page.getByText('Nothing is made to fail.').waitFor()
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('tab', { name: 'Report' }).click()
    await page.getByText('# World `default`', { exact: false }).first().waitFor()
    expect(await accessViolations(page)).toEqual([])
    expect(mistakes).toEqual([])
  }, 120_000)

  test('what clients send is text: markup, right to left, and ten thousand characters', async () => {
    const { url, ask } = await started()
    const names = [hostile, '\u202e\u05d0\u05d1 \u202dabc', 'x'.repeat(10_000)]
    for (const name of names) {
      await ask('POST', `/v1/secret/data/${encodeURIComponent(name)}`, { data: { [name]: name } })
      await ask('POST', '/v1/sys/mounts/mine', { type: name, description: name })
    }
    const { page, mistakes } = await inspect(url, '', { viewport: { width: 390, height: 800 } })
    for (let at = 1; at <= names.length * 2; at += 1) {
      await page.goto(`${url}/_mock/ui#/requests/r${at}?tab=exchange`)
      await page.getByRole('region', { name: 'Reply' }).waitFor()
      await page.getByRole('tab', { name: 'Why?' }).click()
      await page.getByText('Checks, in order').waitFor()
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(wide).toBe(false)
    expect(await accessViolations(page)).toEqual([])
    expect(await page.title()).toBe('Requests · default · infra-understudy')
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(mistakes).toEqual([])
  }, 120_000)

  test('ten thousand requests are a list of a few rows', async () => {
    const { url, understudy } = await started({ options: { control: { journalSize: 10_000 } } })
    for (let at = 0; at < 10_000; at += 1) {
      await understudy.inject(`/v1/sys/health?n=${at}`)
    }
    const { page, mistakes } = await inspect(url)
    const list = page.getByRole('listbox')
    await page.getByText('10000', { exact: true }).waitFor()
    await list.getByText('r10000').waitFor()
    expect(await list.getByRole('option').count()).toBeLessThan(80)
    await list.focus()
    await page.keyboard.press('Home')
    await list.getByText('r1', { exact: true }).waitFor()
    expect(await list.getByRole('option').count()).toBeLessThan(80)
    expect(mistakes).toEqual([])
  }, 180_000)

  test('it is led to, works in a world of its own, and asks for the token once', async () => {
    const { url, understudy } = await started({ controlToken: 'sesame' })
    understudy.createWorld({ id: 'mine' })
    const { page, mistakes } = await watchedPage(browser, `${url}/_world/mine/`)
    await page.getByRole('textbox', { name: 'Control token' }).fill('wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That is not the control token.').waitFor()
    expect(await accessViolations(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Control token' }).fill('sesame')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    expect(await page.getByRole('combobox', { name: /^World/ }).inputValue()).toBe('mine')
    await understudy.inject('/_world/mine/v1/sys/health')
    await page.getByRole('option', { name: '/v1/sys/health' }).waitFor()
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(mistakes).toEqual([])
  }, 120_000)

  test('a page from elsewhere can neither frame it nor call what it calls', async () => {
    const { url } = await started()
    const { url: other } = await started()
    const { page } = await watchedPage(browser, `${other}/v1/sys/health`)
    const refused = await page.evaluate(async (address) => {
      const options = { method: 'POST', body: '{}' }
      const reply = await fetch(`${address}/_mock/reset`, options).catch(() => undefined)
      return reply === undefined
    }, url)
    expect(refused).toBe(true)
    const reply = await fetch(`${url}/_mock/ui`, { headers: { origin: other } })
    expect(reply.status).toBe(403)
  }, 120_000)
})

describe.skipIf(chromium !== undefined)('behaviour/program#inspector: without a browser', () => {
  test.skip('SKIPPED: no Chromium is here; apt-get install chromium, or UNDERSTUDY_CHROMIUM says where', () => {})
})
