import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTrace } from '../../routes/trace/page.ts'
import { accessibilityViolations, chromium } from '../support/browser.ts'
import { inspector } from '../support/inspector.ts'

/** Returns a job with one task. */
const job = (ID: string, Env: object = {}) => ({
  Job: {
    ID,
    Datacenters: ['dc1'],
    TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock', Config: {}, Env }] }],
  },
})

describe.skipIf(chromium === undefined)('behaviour/program#inspector: screens in a browser', () => {
  const inspect = inspector()

  test(
    'Requests: a refusal can be understood and fixed from the page alone, which asks for secrets',
    inspect(async ({ ask, open, world }) => {
      await ask('POST', '/v1/secret/data/app/db', { data: { user: 'ada' } })
      await ask('POST', '/v1/secret/data/app/db', { data: { user: 'eve' }, options: { cas: 0 } })
      const page = await open()
      const list = page.getByRole('listbox', { name: 'List of requests' })
      await list.getByText('400').click()
      await page.getByText('options.cas is 0, but app/db is at version 1.').first().waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Send it' }).click()
      const asked = page.getByRole('form', { name: 'Unknown secrets' })
      await asked.getByLabel(/^user \(fp:/).fill('eve "2"')
      expect(await asked.getByLabel(/fp:/).count()).toBe(1)
      expect(world.requests.find({}).length).toBe(2)
      expect(await accessibilityViolations(page)).toEqual([])
      await asked.getByRole('button', { name: 'Send it with these' }).click()
      await page.getByText('Answered 200, see r3').waitFor()
      const { body } = await world.inject({
        url: '/v1/secret/data/app/db',
        headers: { 'x-secrets-token': 'root' },
      })
      expect(JSON.parse(body).data.data).toEqual({ user: 'eve "2"' })
      await page.getByRole('tab', { name: 'Changes (2)' }).click()
      await page.getByText('"current_version": 2').waitFor()
      expect(await page.getByText('fp:').count()).toBe(0)
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'Requests: the list updates live and can be filtered, used by keyboard, failed and rewound',
    inspect(async ({ ask, open, world }) => {
      const page = await open('', { colorScheme: 'dark' })
      await page.getByText('has received no requests yet').waitFor()
      await ask('POST', '/v1/secret/data/a', { data: { n: 1 } })
      await ask('GET', '/v1/secret/data/a')
      await ask('GET', '/v1/namespaces')
      const list = page.getByRole('listbox')
      await list.getByRole('option').nth(2).waitFor()
      await list.focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
      await page.getByRole('heading', { name: 'GET /v1/secret/data/a' }).waitFor()
      // Press keys before the page is redrawn.
      await list.evaluate((box) => {
        for (const key of ['Home', 'ArrowDown', 'ArrowDown']) {
          box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        }
      })
      await page.getByRole('heading', { name: 'GET /v1/namespaces' }).waitFor()
      await page.keyboard.press('ArrowUp')
      await page.getByRole('heading', { name: 'GET /v1/secret/data/a' }).waitFor()
      await page.getByRole('button', { name: 'Fail the next one like this' }).click()
      await page.getByRole('button', { name: 'Add fault' }).click()
      await page.getByText('503 for the next request (fault').waitFor()
      await ask('GET', '/v1/secret/data/a')
      await list.getByText('503').waitFor()
      await page.getByRole('searchbox').fill('data 503')
      await page.getByText('1 of 4').waitFor()
      await page.getByRole('searchbox').fill('')
      expect(await accessibilityViolations(page)).toEqual([])
      await page.keyboard.press('Tab')
      await list.focus()
      await page.keyboard.press('Home')
      await page.getByRole('button', { name: 'Rewind to before this' }).click()
      await page.getByRole('button', { name: 'Yes' }).click()
      await page.getByText('Rewound to before r1').waitFor()
      expect(JSON.stringify(world.serviceState('secrets'))).not.toContain('"n":1')
      world.requests.clear()
      await page.getByText('has received no requests yet').waitFor()
      await page.getByRole('searchbox').fill('503')
      await ask('GET', '/v1/secret/data/a')
      await page.getByText('0 of 1').waitFor()
    }),
    120_000,
  )

  test(
    'Requests: the deciding policy line is shown and links to its policy',
    inspect(async ({ ask, open, world }) => {
      const policy = 'path "secret/*" { capabilities = ["read"] }\n'
      await ask('PUT', '/v1/sys/policies/acl/wide', { policy })
      const denial = '# nobody\npath "secret/data/app/*" { capabilities = ["deny"] }'
      await ask('PUT', '/v1/sys/policies/acl/narrow', { policy: denial })
      await ask('POST', '/v1/auth/token/create', { id: 'app', policies: ['wide', 'narrow'] })
      const headers = { 'x-secrets-token': 'app' }
      await world.inject({ url: '/v1/secret/data/app/db', headers })
      const page = await open('#/requests/r4')
      const lines = page.getByRole('region', { name: 'Policies' })
      await lines.getByText('1 less specific line matches too').click()
      await lines.getByRole('link', { name: 'wide, line 1' }).waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await lines.getByRole('link', { name: 'narrow, line 2' }).click()
      const lit = page.getByRole('region', { name: 'Policy', exact: true }).locator('.lit')
      expect(await lit.innerText()).toContain('path "secret/data/app/*"')
    }),
    120_000,
  )

  test(
    'State: a secret is shown with its versions and edited in place, and a policy with the rights it grants',
    inspect(async ({ ask, open, world }) => {
      await ask('POST', '/v1/secret/data/app/db', { data: { password: 'lovelace' } })
      await ask('POST', '/v1/secret/data/app/db', { data: { password: 'byron' } })
      const policy = '# of the app\npath "secret/data/app/*" { capabilities = ["read"] }'
      await ask('PUT', '/v1/sys/policies/acl/app', { policy })
      await ask('POST', '/v1/auth/token/create', { policies: ['app'], ttl: '90m' })
      const page = await open('#/state')
      const list = page.getByRole('tree')
      const secret = list.getByRole('treeitem', { name: 'db' })
      await secret.waitFor()
      await list.focus()
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowLeft']) {
        await page.keyboard.press(key)
      }
      await secret.waitFor({ state: 'detached' })
      for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('button', { name: 'Write a new version' }).waitFor()
      expect(await page.getByText('byron').count()).toBe(0)
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Write a new version' }).click()
      await page.getByRole('textbox', { name: 'Write a new version' }).fill('{"password":"king"}')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('version 2 to 3').waitFor()
      await page.getByRole('button', { name: 'Show secrets' }).click()
      await page.getByText('"password": "king"').waitFor()
      expect(JSON.stringify(world.serviceState('secrets'))).toContain('king')
      await list.getByRole('treeitem', { name: 'app', exact: true }).click()
      await page.getByRole('textbox', { name: 'Path' }).fill('secret/data/app/db')
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByRole('link', { name: 'app, line 2' }).waitFor()
      await page.getByText('Allowed').waitFor()
      await page.getByRole('searchbox').fill('tokens')
      await list.getByText('token ·').click()
      await page.getByText('expires in 1 h 30 m').waitFor()
      expect(page.url()).not.toMatch(/s\.\w{24}|token%20s\./)
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'State: versions of a job are compared on the page, with secrets hidden and without a request',
    inspect(async ({ ask, open, world }) => {
      await ask('POST', '/v1/jobs', job('web', { DB_PASSWORD: 'first', LEVEL: 'info' }))
      await ask('POST', '/v1/jobs', job('web', { DB_PASSWORD: 'second', LEVEL: 'debug' }))
      const page = await open('#/state?of=scheduler')
      await page.getByRole('searchbox').fill('jobs web')
      await page.getByRole('treeitem', { name: /web/ }).click()
      const versions = page.getByRole('region', { name: 'Versions' })
      await versions.getByRole('heading', { name: 'Changes from version 0 to 1' }).waitFor()
      const changes = await versions.getByRole('list').first().innerText()
      expect(changes.replaceAll(/\s+/g, ' ')).toBe(
        '± edited: group g ± edited: task t ± edited: Env[DB_PASSWORD]: •••••• → •••••• ± edited: Env[LEVEL]: info → debug',
      )
      await versions.getByRole('button', { name: 'Show the secret' }).last().click()
      await versions.getByText('second').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await versions.getByRole('button', { name: '0', exact: true }).click()
      await versions.getByText('Version 0 is the oldest kept version.').waitFor()
      expect(world.requests.find({}).length).toBe(2)
    }),
    120_000,
  )

  test(
    'State: a test run is shown with its log',
    inspect(async ({ open, world }) => {
      const runs =
        '/api/v2/organizations/example-org/tests/registry-modules/private/example-org/network/cloud1/test-runs'
      const headers = {
        authorization: 'Bearer owner-token',
        'content-type': 'application/vnd.api+json',
      }
      const version = await world.inject({
        method: 'POST',
        url: `${runs}/configuration-versions`,
        headers,
      })
      const upload = new URL(version.json().data.attributes['upload-url']).pathname
      const payload = Buffer.from('files')
      await world.inject({
        method: 'PUT',
        url: upload.replace(world.basePath, ''),
        headers: { 'content-type': 'application/octet-stream' },
        payload,
      })
      const page = await open('#/state?of=platform', { colorScheme: 'dark' })
      await page.getByRole('searchbox').fill('test runs')
      await page.getByRole('treeitem', { name: 'queued' }).click()
      await page.getByText('No log yet.').waitFor()
      world.clock.advance('3s')
      await page.getByRole('region', { name: 'Outcome' }).getByText('1 passed').waitFor()
      await page.getByText('Success! 1 passed, 0 failed.').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'Time: the clock moves to the next due job, and snapshots are taken, compared and restored',
    inspect(async ({ ask, open, world, understudy }) => {
      const page = await open('#/time', { colorScheme: 'dark' })
      await page.getByText('Nothing is due.').waitFor()
      await page.getByRole('button', { name: 'Take a snapshot' }).click()
      await page.getByRole('button', { name: /^Restore/ }).waitFor()
      await ask('POST', '/v1/auth/token/create', { id: 'short', ttl: '90m' })
      await page.getByText('secrets.token.expire').waitFor()
      expect(await page.getByText('short').count()).toBe(0)
      await page.getByRole('button', { name: 'Show the secret' }).click()
      await page.getByText('short').waitFor()
      await page.getByRole('button', { name: '+1 h' }).click()
      await page.getByRole('button', { name: 'in 30 m' }).click()
      await page.getByText('1 event fired').waitFor()
      expect(world.clock.view().now).toBe('2026-01-01T01:30:00Z')
      expect(await accessibilityViolations(page)).toEqual([])
      await ask('POST', '/v1/secret/data/a', { data: { n: 1 } })
      await page.getByRole('button', { name: /^Diff/ }).click()
      await page.getByText('secrets.kv2-keys').waitFor()
      await page.getByRole('button', { name: /^Restore/ }).click()
      await page.getByRole('button', { name: 'Yes' }).click()
      await page.getByText('Restored snap-').waitFor()
      expect(world.clock.view().now).toBe('2026-01-01T00:00:00Z')
      const before = understudy.worlds().length
      await page.getByRole('button', { name: /^Fork/ }).click()
      await page.getByText(/Forked .* as world/).waitFor()
      expect(understudy.worlds().length).toBe(before + 1)
    }),
    120_000,
  )

  test(
    'Machines: the current state is highlighted, and allowed transitions can be made',
    inspect(async ({ open, world }) => {
      const page = await open('#/machines')
      const node = page.getByRole('region', { name: 'secrets.node' })
      await node.getByRole('button', { name: 'Move to sealed' }).click()
      await page.getByText('self moved to sealed').waitFor()
      await node.locator('[aria-current]', { hasText: 'sealed' }).waitFor()
      expect((await world.inject('/v1/sys/health')).statusCode).toBe(503)
      await page.getByRole('region', { name: 'Cluster' }).getByText('3 nodes').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'Machines: a transition that needs values asks for them, and a rekey is completed by keyboard',
    inspect(async ({ ask, open, world }) => {
      await ask('POST', '/v1/jobs', job('web'))
      world.clock.advance('2s')
      const page = await open('#/machines', { viewport: { width: 390, height: 800 } })
      const task = page.getByRole('region', { name: 'scheduler.task' })
      await task.getByRole('button', { name: 'Move to failed' }).click()
      const form = task.getByRole('form', { name: 'Details of the move to failed' })
      await form.getByRole('spinbutton', { name: 'exitCode' }).fill('137')
      await form.getByRole('checkbox', { name: 'oomKilled' }).check()
      expect(await accessibilityViolations(page)).toEqual([])
      await form.getByRole('button', { name: 'Move to failed' }).click()
      await page.getByText('moved to failed').waitFor()
      expect(JSON.stringify(world.serviceState('scheduler'))).toContain('Exit Code: 137')
      const rekey = page.getByRole('region', { name: 'secrets.rekey' })
      await rekey.getByRole('button', { name: 'Move to started' }).focus()
      await page.keyboard.press('Enter')
      await rekey.locator('input:focus').waitFor()
      await page.keyboard.type('3')
      await page.keyboard.press('Tab')
      await page.keyboard.type('2')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      await page.keyboard.press('Enter')
      await rekey.locator('[aria-current]', { hasText: 'started' }).waitFor()
      await rekey.getByRole('button', { name: 'Move to share' }).click()
      await rekey.getByText(/^1 of \d present shares$/).waitFor()
      await rekey.getByRole('button', { name: 'Move to verification' }).click()
      await rekey.locator('[aria-current]', { hasText: 'verification' }).waitFor()
      await rekey.getByText('0 of 2 new shares').waitFor()
      await rekey.getByRole('button', { name: 'Move to complete' }).click()
      await rekey.locator('[aria-current]', { hasText: 'none' }).waitFor()
      expect(world.info().services.secrets.unsealKeys).toHaveLength(3)
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    }),
    120_000,
  )

  test(
    'Machines: a rollout can be paused, an allocation links to its machine, and the link of a DR pair can be cut',
    inspect(async ({ ask, open, world, understudy }) => {
      await ask('POST', '/v1/jobs', job('web'))
      world.clock.advance('2s')
      await ask('POST', '/v1/sys/replication/dr/primary/enable', {})
      const reply = await ask('POST', '/v1/sys/replication/dr/primary/secondary-token', { id: 'b' })
      const { wrap_info } = reply as { readonly wrap_info: { readonly token: string } }
      const second = understudy.createWorld()
      await second.inject({
        method: 'POST',
        url: '/v1/sys/replication/dr/secondary/enable',
        headers: { 'x-secrets-token': 'root' },
        payload: { token: wrap_info.token },
      })
      const page = await open('#/machines')
      const rollout = page.getByRole('region', { name: 'scheduler.deployment', exact: true })
      await rollout.getByText('0 of 1 allocations are healthy').waitFor()
      await rollout.getByRole('button', { name: 'Move to paused' }).click()
      await rollout.locator('[aria-current]', { hasText: 'paused' }).waitFor()
      await page.getByRole('region', { name: 'Cluster' }).getByText('web.g[0] · running').click()
      expect(page.url()).toContain('#/machines/scheduler.allocation?id=')
      const pair = page.getByRole('region', { name: 'secrets.replication-link' })
      await pair.getByRole('button', { name: 'Cut the link' }).click()
      await pair.getByText('disconnected').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await pair.getByRole('button', { name: 'Restore the link' }).click()
      await pair.getByRole('button', { name: 'Cut the link' }).waitFor()
    }),
    120_000,
  )

  test(
    'Secrets: a certificate is decoded and revoked by keyboard, and a lease is ended',
    inspect(async ({ ask, open, world }) => {
      await ask('POST', '/v1/sys/mounts/pki', { type: 'pki' })
      const key_type = 'ec'
      await ask('POST', '/v1/pki/root/generate/internal', { common_name: 'Root CA', key_type })
      const role = { allow_any_name: true, generate_lease: true, key_type }
      await ask('POST', '/v1/pki/roles/web', role)
      const request = { common_name: 'www.test', ip_sans: '10.0.0.1', ttl: '24h' }
      for (let count = 0; count < 2; count += 1) await ask('POST', '/v1/pki/issue/web', request)
      const page = await open('#/secrets', { colorScheme: 'dark' })
      const mount = page.getByRole('region', { name: 'Certificates of pki/' })
      await mount.getByText('CN=Root CA').waitFor()
      const leaf = mount.locator('summary', { hasText: 'CN=www.test' }).first()
      expect(await leaf.innerText()).toMatch(/valid\s+ends\s+in 1 d$/)
      await leaf.focus()
      await page.keyboard.press('Enter')
      await mount.getByText('DNS www.test, IP 10.0.0.1').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText(/^pki\/.* is revoked$/).waitFor()
      await mount.getByText('1 revoked certificate').waitFor()
      const leases = page.getByRole('region', { name: 'Leases' })
      await leases
        .getByRole('button', { name: /^Expire / })
        .first()
        .click()
      await leases.getByRole('row').nth(2).waitFor({ state: 'detached' })
      const [lease] = Object.entries(world.serviceState('secrets').tables?.['leases'] ?? {})
      const copies = Array.from({ length: 300 }, (_, at) => {
        const copy = { ...lease?.[1], id: `pki/issue/web/${at}` }
        return [`root/${copy.id}`, copy] as const
      })
      const tables = JSON.parse(JSON.stringify({ leases: Object.fromEntries(copies) }))
      world.importState({ secrets: { tables } })
      await leases.getByText('and 100 more').waitFor()
      expect(await leases.getByRole('row').count()).toBe(201)
      await page.getByRole('searchbox').fill('web/299')
      await leases.getByRole('row').nth(2).waitFor({ state: 'detached' })
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'Platform: a workspace shows the steps of its runs, two compared states, and masked variables',
    inspect(async ({ open, world }) => {
      const workspace = {
        name: 'network',
        variables: [
          { key: 'region', value: 'eu' },
          { key: 'TOKEN', value: 'hunter2', sensitive: true },
        ],
        configuration: { 'main.tf': 'output "url" {\n  value = "https://new"\n}\n' },
        state: { outputs: { url: { value: 'https://old', type: 'string' } } },
        runs: [{ status: 'applied' }],
      } as const
      world.seed({ platform: { organizations: [{ name: 'acme', workspaces: [workspace] }] } })
      const page = await open('#/platform')
      const runs = page.getByRole('region', { name: 'Runs' })
      await runs.getByRole('listitem').filter({ hasText: 'planning' }).first().waitFor()
      const versions = page.getByRole('region', { name: 'State versions' })
      await versions.getByText('"value": "https://new"').waitFor()
      await versions.getByText('"value": "https://old"').waitFor()
      await versions.getByRole('combobox', { name: 'To' }).selectOption({ index: 1 })
      await versions.getByText('"value": "https://new"').waitFor({ state: 'detached' })
      const variables = page.getByRole('region', { name: 'Variables' })
      await variables.getByText('eu', { exact: true }).waitFor()
      expect(await variables.getByText('hunter2').count()).toBe(0)
      await variables.getByRole('button', { name: 'Show the secret' }).click()
      await variables.getByText('hunter2').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      expect(world.requests.find({}).length).toBe(0)
    }),
    120_000,
  )

  test(
    'Mesh: a click makes a check critical, and the next one restores its status',
    inspect(async ({ open, world }) => {
      const Check = { Name: 'ready', TTL: '1h', Status: 'warning' }
      world.seed({ mesh: { services: [{ Name: 'web', Port: 80, Check }] } })
      const statuses = () =>
        Object.values(world.serviceState('mesh').tables?.['checks'] ?? {})
          .filter((check) => Reflect.get(check, 'service_id') === 'web')
          .map((check) => Reflect.get(check, 'status'))
      const page = await open('#/mesh')
      const web = page.getByRole('region', { name: 'Service web' })
      await web.getByRole('button', { name: 'ready · warning' }).click()
      await web.getByRole('button', { name: 'ready · critical' }).waitFor()
      expect(statuses()).toEqual(['critical'])
      expect(await accessibilityViolations(page)).toEqual([])
      await web.getByRole('button', { name: 'ready · critical' }).click()
      await web.getByRole('button', { name: 'ready · warning' }).waitFor()
      expect(statuses()).toEqual(['warning'])
    }),
    120_000,
  )

  test(
    'every screen fits 320 pixels and is complete in forced colours',
    inspect(async ({ ask, open }) => {
      await ask('POST', '/v1/secret/data/app/db', { data: { user: 'ada' } })
      await ask(
        'POST',
        '/v1/jobs',
        job('a-job-whose-name-is-as-long-as-that-of-a-test-may-well-be'),
      )
      const options = { viewport: { width: 320, height: 640 }, forcedColors: 'active' } as const
      const page = await open('', { ...options, reducedMotion: 'reduce' })
      for (const [place, shown] of [
        ['#/requests', '/v1/jobs'],
        ['#/requests/r1?tab=changes', 'secrets.kv2-keys'],
        ['#/state?of=scheduler', 'a-job-whose'],
        ['#/time', 'scheduler.evaluation'],
        ['#/machines', 'secrets.rekey'],
        ['#/secrets', 'No PKI engine'],
        ['#/platform', 'no workspaces'],
        ['#/mesh', 'Nodes'],
        ['#/worlds?part=options', 'secrets.kvVersion'],
        ['#/worlds?part=faults', 'any-slow'],
      ] as const) {
        await page.evaluate(`location.hash = '${place}'`)
        await page.getByText(shown).first().waitFor()
        if (place === '#/requests') await page.getByText('r1', { exact: true }).waitFor()
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        expect([place, wide]).toEqual([place, false])
      }
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )

  test(
    'Worlds: worlds are created and forked, with variables, options, presets and the report',
    inspect(async ({ open, world }) => {
      const page = await open('#/worlds')
      await page.getByRole('textbox', { name: 'Name of a new world' }).fill('mine')
      await page.getByRole('button', { name: 'Create world' }).click()
      const row = page.getByRole('row', { name: /^mine / })
      await row.waitFor()
      expect(await row.innerText()).toMatch(/^mine\s+\d+ m?s\b.*\s0\s.*frozen\s+neutral\s/s)
      await page.getByText("VAULT_TOKEN='••••••'", { exact: false }).first().waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      const saved = async (name: string) => {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name }).click()
        return readTrace(readFileSync(await (await download).path(), 'utf8'))
      }
      const { worlds } = await saved('Save the trace of all worlds')
      expect(worlds.map(({ id }) => id)).toContain(world.id)
      const one = await saved('Save the trace of mine')
      expect(one.worlds.map(({ id }) => id)).toEqual(['mine'])
      await page.getByRole('tab', { name: 'Options' }).click()
      await page.getByRole('searchbox').fill('key-value engine at secret/')
      await page.getByRole('combobox', { name: 'secrets.kvVersion' }).selectOption('1')
      await page.getByText('secrets.kvVersion is 1').waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('tab', { name: 'Faults' }).click()
      await page.getByRole('button', { name: 'On: any-unavailable' }).click()
      await page.getByText('0 of 0').waitFor()
      expect((await world.inject('/v1/namespaces')).statusCode).toBe(503)
      await page.getByText('1 of 1').waitFor()
      await page.getByRole('button', { name: 'Off: any-unavailable' }).click()
      await page.getByText('No faults are set.').waitFor()
      await page.getByRole('button', { name: 'On with parameters: any-unavailable' }).click()
      const form = page.getByRole('form', { name: 'Parameters of any-unavailable' })
      await form.getByRole('spinbutton', { name: 'answers' }).fill('1')
      expect(await accessibilityViolations(page)).toEqual([])
      await form.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('Turned on any-unavailable').waitFor()
      const statuses = [await world.inject('/v1/namespaces'), await world.inject('/v1/namespaces')]
      expect(statuses.map(({ statusCode }) => statusCode)).toEqual([503, 200])
      const sealed = page.getByRole('listitem').filter({ hasText: 'secrets-sealed' })
      await sealed.getByRole('button', { name: 'On: secrets-sealed' }).click()
      await sealed.getByText('on', { exact: true }).waitFor()
      expect((await world.inject('/v1/sys/health')).statusCode).toBe(503)
      await sealed.getByRole('button', { name: 'Off: secrets-sealed' }).click()
      await sealed.getByText('on', { exact: true }).waitFor({ state: 'detached' })
      const behind = page.getByRole('listitem').filter({ hasText: 'secrets-index-behind' })
      expect(await behind.locator('code').innerText()).toBe('X-Secrets-Index')
      await page.getByRole('tab', { name: 'Report' }).click()
      await page.getByText(`# World \`${world.id}\``, { exact: false }).first().waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
    }),
    120_000,
  )
})
