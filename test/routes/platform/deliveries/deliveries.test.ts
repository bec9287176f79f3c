import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { allSentRequests } from '../../../../state/platform/deliveries/sent-requests.ts'
import { closedPort } from '../../../support/platform/mail-server.ts'
import { failure } from '../../../support/platform/platform-errors.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { attachTask, makeTask } from '../../../support/platform/platform-tasks.ts'
import { resource } from '../../../support/platform/platform-workspaces.ts'

/** Request that a receiver got. */
interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Starts a server that records requests; a path with a number has that status. */
async function receiver() {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    received.push({ headers: request.headers, text })
    response.writeHead(Number(request.url?.slice(1)) || 200, { 'x-tag': 'a' }).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const options = { deliverRunTasks: true, deliverNotifications: true }
const type = 'notification-configurations'

describe('behaviour/platform#task-stages: deliverRunTasks', () => {
  test('a task is called with its signature, and a callback ends the result', async () => {
    const { received, url } = await receiver()
    const { api, id, runs, world } = await withConfiguration({ options, dialect: 'vendor' })
    const refusing = await makeTask(api, { name: 'refusing', url: `${url}/503` })
    const task = await makeTask(api, { 'hmac-key': 'k', url })
    for (const one of [refusing, task]) await attachTask(api, id, one.id)
    const run = await runs.create()
    world.advance(2_250)
    const results = async () => {
      const query = { include: 'task_results' }
      return (await api.get(`runs/${run}/task-stages`, { query })).body.included
    }
    await vi.waitFor(async () => {
      const statuses = (await results()).map(
        ({ attributes }: { attributes: { status: string } }) => attributes.status,
      )
      expect(statuses).toEqual(['errored', 'running'])
    })
    const [failed, { id: result }] = await results()
    expect(failed.attributes.message).toBe('The task answered with the status 503')
    const call = received.find(({ text }) => text.includes(result))
    expect(call?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^TFC\/1\.0 \(\+http.*; TFC\)$/),
      'x-tfc-task-signature': createHmac('sha512', 'k')
        .update(call?.text ?? '')
        .digest('hex'),
    })
    world.advance(60_000)
    expect(await runs.status(run)).toBe('post_plan_running')
    const { access_token: token, task_result_callback_url: address } = JSON.parse(call?.text ?? '')
    const body = resource('task-results', { status: 'passed' })
    const path = new URL(address).pathname
    expect((await api.request('PATCH', path, body, { token })).status).toBe(200)
    expect(await runs.status(run)).toBe('post_plan_completed')
    const delivered = allSentRequests(world).map(({ state }) => state)
    expect(delivered).toEqual(['failed', 'delivered'])
  })
})

describe('behaviour/platform#notifications: deliverNotifications', () => {
  test('a configuration is verified, runs notify it, and the reply is listed', async () => {
    const { received, url } = await receiver()
    const { api, id, runs, world } = await withConfiguration({ options })
    const path = `workspaces/${id}/${type}`
    const inputs = { name: 'hook', 'destination-type': 'generic', token: 'k', enabled: true }
    for (const bad of [`${url}/500`, `http://127.0.0.1:${await closedPort()}`]) {
      const reply = await api.post(path, resource(type, { ...inputs, url: bad }))
      const text = 'Unable to complete verification request to destination URL'
      expect([reply.status, reply.body]).toEqual([400, failure(400, text)])
    }
    expect((await api.get(path)).body.data).toEqual([])
    const triggers = ['run:created']
    const made = await api.post(path, resource(type, { ...inputs, url, triggers }))
    const response = { url, body: 'ok', code: '200', successful: true }
    expect(made.body.data.attributes['delivery-responses']).toMatchObject([response])
    const body = resource(type, { url: `${url}/404` })
    await api.patch(`${type}/${made.body.data.id}`, body)
    await runs.create()
    await vi.waitFor(async () => {
      const read = (await api.get(`${type}/${made.body.data.id}`)).body.data.attributes
      expect(read['delivery-responses']).toMatchObject([
        { code: '404', successful: false, headers: { 'x-tag': ['a'] } },
      ])
    })
    const last = received.at(-1)
    expect(last?.headers['x-ent-notification-signature']).toBe(
      createHmac('sha512', 'k')
        .update(last?.text ?? '')
        .digest('hex'),
    )
    expect(JSON.parse(last?.text ?? '')).toMatchObject({
      notifications: [{ trigger: 'run:created' }],
    })
    const states = allSentRequests(world).map(({ state }) => state)
    expect(states).toEqual(['delivered', 'failed'])
  })
})
