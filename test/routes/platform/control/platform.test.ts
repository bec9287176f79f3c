import { describe, expect, test } from 'vitest'
import { ProcessControl } from '../../../../routes/control/worlds/process-control.ts'
import { FaultInjector } from '../../../../routes/faults/fault-injector.ts'
import { Journals } from '../../../../routes/journal/journal.ts'
import { PlatformControl } from '../../../../routes/platform/control/platform-control.ts'
import { putAgentPool } from '../../../../state/platform/agents/agent-pools.ts'
import { agentsOf } from '../../../../state/platform/agents/agents.ts'
import { recordRequest } from '../../../../state/platform/deliveries/sent-requests.ts'
import { platformService } from '../../../../state/platform/service.ts'
import { recordMessage } from '../../../../state/platform/settings/outbox.ts'
import { control } from '../../../support/control.ts'
import { start } from '../../../support/kernel.ts'

const mail = {
  kind: 'mail',
  from: 'app@example.com',
  to: 'ada@example.com',
  subject: 'Test message',
  text: 'Hello',
  server: { host: 'mail.example.com', port: 25 },
  delivered: true,
} as const
const sms = {
  kind: 'sms',
  from: '+1',
  to: '+2',
  subject: null,
  text: 'Hello',
  server: null,
  delivered: false,
} as const

const outbox = [
  { ...mail, id: 'msg-1', at: '2026-01-01T00:00:00Z' },
  { ...sms, id: 'msg-2', at: '2026-01-01T00:00:01.5Z' },
]

async function started() {
  const { ask, worlds, world } = await control(
    {},
    { services: [platformService], clock: { mode: 'frozen', at: start } },
  )
  world.write(() => recordMessage(world, mail))
  world.advance(1500)
  world.write(() => recordMessage(world, sms))
  return { ask, worlds, world }
}

describe('behaviour/platform#test-mail: the outbox on the control plane', () => {
  // choice/platform#outbox
  test('GET /_mock/platform/outbox lists sent messages, oldest first', async () => {
    const { ask } = await started()
    const reply = await ask('GET', '/platform/outbox')
    expect([reply.status, reply.body]).toEqual([200, { messages: outbox }])
    expect((await ask('GET', '/worlds/default/platform/outbox')).body).toEqual(reply.body)
  })

  test('DELETE empties it; the numbering continues', async () => {
    const { ask, world } = await started()
    const reply = await ask('DELETE', '/platform/outbox')
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await ask('GET', '/platform/outbox')).body).toEqual({ messages: [] })
    world.write(() => recordMessage(world, sms))
    const { body } = await ask('GET', '/platform/outbox')
    expect(body.messages.map(({ id }: { id: string }) => id)).toEqual(['msg-3'])
  })

  test('each world has its own', async () => {
    const { ask, worlds } = await started()
    worlds.create({ id: 'w', seed: 's' })
    for (const path of ['/worlds/w/platform/outbox', '/_world/w/_mock/platform/outbox']) {
      expect((await ask('GET', path)).body).toEqual({ messages: [] })
    }
    expect((await ask('DELETE', '/worlds/w/platform/outbox')).status).toBe(204)
    expect((await ask('GET', '/platform/outbox')).body.messages).toHaveLength(2)
  })

  test('the outbox is part of the state: exported, imported, restored', async () => {
    const { ask, worlds, world } = await started()
    const { body: state } = await ask('GET', '/state')
    expect(state.platform.tables.outbox).toMatchObject({
      '000000000001': { id: 'msg-1', to: 'ada@example.com', delivered: true },
      '000000000002': { id: 'msg-2', to: '+2', at: start + 1500 },
    })
    const copy = worlds.create({ id: 'copy', seed: 's' })
    expect((await ask('PUT', '/worlds/copy/state', state)).status).toBe(204)
    expect((await ask('GET', '/worlds/copy/platform/outbox')).body).toEqual({ messages: outbox })
    expect(copy.id).toBe('copy')
    world.reset()
    expect((await ask('GET', '/platform/outbox')).body).toEqual({ messages: [] })
  })

  test('requests are listed among the messages, with the headers of the dialect', async () => {
    const { ask, world } = await started()
    const [kind, url, body] = ['run-task', 'https://a.b/c', { access_token: 't' }] as const
    const sent = { at: start, signature: 's', base: 'http://x', subject: 'taskrs-1' }
    world.write(() => recordRequest(world, { ...sent, kind, url, body, state: 'recorded' }))
    const { messages } = (await ask('GET', '/platform/outbox')).body
    expect(messages).toEqual([
      ...outbox,
      {
        id: `msg-${outbox.length + 1}`,
        kind,
        at: expect.any(String),
        url,
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'TFC/1.0 (+http://x; TFC)',
          'X-Ent-Task-Signature': 's',
        },
        body,
        delivered: false,
      },
    ])
    await ask('DELETE', '/platform/outbox')
    expect((await ask('GET', '/platform/outbox')).body).toEqual({ messages: [] })
  })

  test('an agent is added to a pool by the name of the pool', async () => {
    const { ask, world } = await started()
    const lists = { allowed_workspaces: [], allowed_projects: [], excluded_workspaces: [] }
    const of = { organization: 'example-org', organization_scoped: true, created_at: start }
    world.write(() => putAgentPool(world, { id: 'apool-1', name: 'builders', ...of, ...lists }))
    const added = await ask('POST', '/platform/agents', { pool: 'builders', status: 'busy' })
    expect([added.status, added.body]).toEqual([201, { id: expect.stringMatching(/^agent-/) }])
    expect(agentsOf(world, 'apool-1')).toMatchObject([{ name: null, status: 'busy' }])
    expect((await ask('POST', '/platform/agents', { pool: 'others' })).status).toBe(404)
  })

  test('embedding programs use the same code (behaviour/program#embedding)', async () => {
    const { worlds } = await started()
    const process = new ProcessControl({
      worlds,
      journals: new Journals(),
      faults: new FaultInjector(),
      describe: () => ({ name: 'n', version: 'v', dialect: 'neutral', ports: {} }),
    })
    const embedded = process.world().part(PlatformControl)
    expect(embedded.outbox()).toEqual(outbox)
    embedded.emptyOutbox()
    expect(embedded.outbox()).toEqual([])
  })
})

test('behaviour/platform#assessments: POST /_mock/platform/assessments refuses an unknown workspace', async () => {
  const { ask } = await started()
  const reply = await ask('POST', '/platform/assessments', { workspace: 'net', drifted: true })
  expect(reply.status).toBe(404)
})

test('behaviour/platform#workspace-pushes: POST /_mock/platform/pushes returns the transitions that a push started', async () => {
  const { ask } = await started()
  const event = { repository: 'acme/net', files: { 'main.tf': '' }, pullRequest: { number: 1 } }
  const reply = await ask('POST', '/platform/pushes', event)
  expect([reply.status, reply.body]).toEqual([201, { configurationVersions: [], runs: [] }])
  expect((await ask('POST', '/platform/pushes', { branch: 'main' })).status).toBe(400)
})
