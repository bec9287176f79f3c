import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'

type Status = 'passing' | 'warning' | 'critical'

/** A service of the model with its TTL check, whose time runs out at an instant. */
interface ModelService {
  readonly name: string
  readonly status: Status
  readonly expiresAt: number
}

/** The registry as the rules describe it: services by ID, and the holder of one lock. */
interface Model {
  readonly services: Map<string, ModelService>
  /** Sessions by ID, with the service on whose check they depend. */
  readonly sessions: Map<string, string>
  holder: string | undefined
  now: number
}

const ttl = 30_000
const ids = ['a', 'b', 'c'] as const

const verbs = { passing: 'pass', warning: 'warn', critical: 'fail' } as const

const id = fc.constantFrom(...ids)
const commands = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('register'), id, name: fc.constantFrom('web', 'db') }),
    fc.record({ kind: fc.constant('deregister'), id }),
    fc.record({
      ...{ kind: fc.constant('set'), id },
      status: fc.constantFrom<Status>('passing', 'warning', 'critical'),
    }),
    fc.record({ kind: fc.constant('session'), id }),
    fc.record({ kind: fc.constant('lock'), nth: fc.nat(3) }),
    fc.record({ kind: fc.constant('advance'), seconds: fc.constantFrom(5, 20, 30) }),
  ),
  { minLength: 4, maxLength: 9 },
)

type Command = ReturnType<typeof commands.generate>['value'][number]

/** Ends the sessions of the model whose check is critical or gone, with their lock. */
function endSessions({ services, sessions, ...model }: Model): string | undefined {
  for (const [session, service] of sessions) {
    const status = services.get(service)?.status ?? 'critical'
    if (status === 'critical') sessions.delete(session)
  }
  const { holder } = model
  return holder !== undefined && sessions.has(holder) ? holder : undefined
}

/** Sends a command to the server and applies it to the model. */
async function run(command: Command, model: Model, client: MeshClient, tick: (ms: number) => void) {
  const { services, sessions } = model
  const known = 'id' in command ? services.get(command.id) : undefined
  if (command.kind === 'register' && 'name' in command) {
    const { id: ID, name } = command
    const Check = { TTL: '30s', Status: 'passing' }
    const { status } = await client.put('agent/service/register', { ID, Name: name, Check })
    expect(status).toBe(200)
    const kept = known?.status ?? 'passing'
    services.set(ID, { name, status: kept, expiresAt: model.now + ttl })
  } else if (command.kind === 'deregister' && 'id' in command) {
    const { status } = await client.put(`agent/service/deregister/${command.id}`)
    expect(status).toBe(known === undefined ? 404 : 200)
    services.delete(command.id)
  } else if ('status' in command) {
    const path = `agent/check/${verbs[command.status]}/service:${command.id}`
    expect((await client.put(path)).status).toBe(known === undefined ? 404 : 200)
    if (known !== undefined) {
      const { status } = command
      services.set(command.id, { ...known, status, expiresAt: model.now + ttl })
    }
  } else if (command.kind === 'session' && 'id' in command) {
    const NodeChecks = [`service:${command.id}`]
    const reply = await client.put('session/create', { NodeChecks, LockDelay: '0.000001s' })
    const isHealthy = known !== undefined && known.status !== 'critical'
    expect(reply.status).toBe(isHealthy ? 200 : 500)
    if (isHealthy) sessions.set(reply.body.ID, command.id)
  } else if ('nth' in command) {
    const session = [...sessions.keys()][command.nth]
    if (session === undefined) return
    const { text } = await client.put(`kv/lock?acquire=${session}`, 'v')
    const isFree = model.holder === undefined || model.holder === session
    expect(text).toBe(String(isFree))
    if (isFree) model.holder = session
  } else if ('seconds' in command) {
    tick(command.seconds * 1_000)
    model.now += command.seconds * 1_000
    for (const [key, service] of services) {
      if (service.expiresAt <= model.now) services.set(key, { ...service, status: 'critical' })
    }
  }
  model.holder = endSessions(model)
}

/** Compares all that the server shows with the model. */
async function compare({ services, sessions, holder }: Model, client: MeshClient): Promise<void> {
  const shown = Object.values<{ ID: string; Service: string }>(
    (await client.get('agent/services')).body,
  )
  expect(shown.map(({ ID, Service }) => [ID, Service])).toEqual(
    [...services].sort().map(([key, { name }]) => [key, name]),
  )
  for (const name of ['web', 'db']) {
    const healthy = (await client.get(`health/service/${name}?passing`)).body
    const expected = [...services].filter((each) => each[1].name === name)
    expect(healthy.map(({ Service }: { Service: { ID: string } }) => Service.ID)).toEqual(
      expected.flatMap(([key, { status }]) => (status === 'passing' ? [key] : [])).sort(),
    )
    const instances = (await client.get(`catalog/service/${name}`)).body
    expect(instances).toHaveLength(expected.length)
  }
  const live = (await client.get('session/list')).body
  expect(live.map(({ ID }: { ID: string }) => ID).sort()).toEqual([...sessions.keys()].sort())
  const [lock] = (await client.get('kv/lock')).body ?? []
  expect(lock?.Session).toBe(holder)
}

test('behaviour/mesh#agent-services: the registry, its checks, sessions and locks follow a simple model', async () => {
  const { mesh: client, world, clock } = await mesh()
  const fresh = world.snapshot()
  const begin = clock.now()
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      world.restore(fresh)
      const model: Model = {
        ...{ services: new Map(), sessions: new Map(), holder: undefined, now: begin },
      }
      for (const command of sequence) {
        await run(command, model, client, (milliseconds) => clock.advance(milliseconds))
        await compare(model, client)
      }
    }),
    { numRuns: 15 },
  )
})
