import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { createUnderstudy } from '../src/embedding/index.ts'

/**
 * Takes the screenshots for the documents (`npm run screenshots`, after a build): the page after a
 * failed test, and the opened trace of README's example, in light and dark. `UNDERSTUDY_CHROMIUM`
 * is the path of the browser.
 */

const folder = 'docs/guide/inspector'
const rootHeaders = { 'x-vault-token': 'root' }
const appHeaders = { 'x-vault-token': 'app' }

const understudy = await createUnderstudy({
  dialect: 'vendor',
  seed: 'walk',
  clock: 'frozen@2026-01-01T00:00:00Z',
})
const url = await understudy.listen()

async function sendRequest(
  method: string,
  path: string,
  payload?: object,
  headers: object = rootHeaders,
) {
  await understudy.inject({
    method,
    url: path,
    headers: { ...headers },
    ...(payload && { payload }),
  })
}

const policy = 'path "secret/data/shop/*" {\n  capabilities = ["create", "read", "update"]\n}'
await sendRequest('PUT', '/v1/sys/policies/acl/shop', { policy })
await sendRequest('POST', '/v1/auth/token/create', { id: 'app', policies: ['shop'], ttl: '1h' })
await sendRequest('GET', '/v1/sys/health', undefined, {})
await sendRequest(
  'POST',
  '/v1/secret/data/shop/db',
  { data: { user: 'shop', password: 'first' } },
  appHeaders,
)
await sendRequest('GET', '/v1/secret/data/shop/db', undefined, appHeaders)
await sendRequest('PUT', '/v1/namespace', { Name: 'shop' }, {})
await sendRequest('POST', '/v1/jobs', {
  Job: {
    ID: 'shop',
    Datacenters: ['dc1'],
    TaskGroups: [
      {
        Name: 'web',
        Count: 3,
        Tasks: [{ Name: 'server', Driver: 'docker', Config: { image: 'shop' } }],
      },
    ],
  },
})
understudy.world().clock.advance('2s')
// This request causes the failure: a rotation that assumes the secret does not exist yet.
const rotation = { data: { user: 'shop', password: 'second' }, options: { cas: 0 } }
await sendRequest('POST', '/v1/secret/data/shop/db', rotation, appHeaders)
await sendRequest('GET', '/v1/secret/data/shop/db', undefined, appHeaders)

/** Fills in the password that the page asks for, and sends the request. */
async function sendUnknown(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'Unknown secrets' })
  await form.getByLabel('password').fill('second')
  await form.getByRole('button', { name: 'Send it with these' }).click()
}

/** Writes the trace of README's example to a file and returns the URL of the file. */
async function traceOfExample(file: string): Promise<string> {
  const world = understudy.createWorld({ id: 'w1' })
  const write = (payload: object) =>
    world.inject({
      method: 'POST',
      url: '/v1/secret/data/app',
      headers: { ...rootHeaders },
      payload,
    })
  const body = { data: { password: 'p' }, options: { cas: 0 } }
  await write(body)
  await write(body)
  const { body: page } = await understudy.inject({
    method: 'POST',
    url: '/_mock/worlds/w1/trace',
    payload: {
      test: {
        file: 'app.test.mjs',
        title: 'the password is written once',
        result: 'failed',
        error: {
          text: 'check-and-set parameter did not match the current version',
          at: 'app.test.mjs:9',
        },
      },
      command: ['node', '--test', 'app.test.mjs'],
    },
  })
  writeFileSync(file, page)
  return pathToFileURL(file).href
}

/**
 * Screenshots: name, location in the page, and the names of the buttons and tabs to click first.
 */
const pictures = [
  ['why', '#/requests/r8', []],
  ['changes', '#/requests/r8', ['Send it', 'Changes (2)']],
  ['state', '#/state/policies%20root%2Fshop', []],
  ['time', '#/time', []],
  ['machines', '#/machines', []],
] as const

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env['UNDERSTUDY_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const temporary = mkdtempSync(join(tmpdir(), 'understudy-pictures-'))
const example = await traceOfExample(join(temporary, 'trace.html'))
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, place, clicks] of pictures) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 940, height: 540 } })
    const before = understudy.world().snapshot()
    await page.goto(`${url}/_mock/ui${place}`)
    await page.getByText('live', { exact: true }).waitFor()
    await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {})
    for (const click of clicks) {
      await page.getByRole(click.includes('(') ? 'tab' : 'button', { name: click }).click()
      if (click === 'Send it') await sendUnknown(page)
      await page
        .getByText(click.includes('(') ? 'secrets.kv2-data' : 'Answered')
        .first()
        .waitFor()
    }
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` })
    await page.close()
    // Restoring the snapshot removes the effects of this screenshot.
    understudy.world().restore(before.id)
    understudy.world().dropSnapshot(before.id)
  }
  const page = await browser.newPage({ colorScheme, viewport: { width: 940, height: 600 } })
  await page.goto(`${example}#/requests/r2`)
  await page.getByText('options.cas is 0').first().waitFor()
  await page.screenshot({ path: `${folder}/trace-${colorScheme}.png` })
  await page.close()
  process.stdout.write(`${colorScheme}: ${pictures.length + 1} pictures\n`)
}
rmSync(temporary, { recursive: true })
await browser.close()
await understudy.close()
