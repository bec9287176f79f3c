import { controlOperations } from '../../routes/control/operations.ts'
import type { DialectName } from '../../routes/http/declare/dialect.ts'
import { createUnderstudy } from '../../src/embedding/index.ts'
import { services } from '../../src/services.ts'
import { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { RequestGenerator } from '../support/generated/generated-requests.ts'
import { controlSamples } from './control-samples.ts'
import { bodiesOf, isProblem, type Target } from './target.ts'

/** Operations to skip: they stream, wait in real time, or stop the server. */
const skippedOperations = new Set([
  'followEvents',
  'followWorldEvents',
  'waitForRequests',
  'shutdown',
])

/** Returns whether a request goes to `/_mock` once its URL is normalized. */
function isOwn(url: string): boolean {
  return /^\/_mock(\/|$)/.test(new URL(url, 'http://localhost').pathname)
}

export async function controlTarget(dialect: DialectName): Promise<Target> {
  const running = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', dialect })
  // Fill the journal, so that matchers are compared with many entries.
  for (let count = 0; count < 1000; count += 1) {
    const payload = { data: { count } }
    await running.inject({ method: 'POST', url: `/v1/secret/data/${count}`, payload })
  }
  const document = JSON.parse((await running.inject({ url: '/_mock/openapi.json' })).body)
  const operations = controlOperations(services)
    .filter(
      ({ id }) =>
        ![...skippedOperations].some((name) => id.startsWith(name)) && !/[eE]vents/.test(id),
    )
    .map(({ id, method, path, summary, spec }) => {
      return { id, verb: method, path: `/_mock${path}`, summary, spec, evidence: 'extension' }
    })
  // This empty world turns off the check that refused requests change nothing, because control
  // requests concern many worlds.
  const worlds = new Worlds({ services: [] })
  const maker = new RequestGenerator(operations as never, controlSamples, bodiesOf(document))
  return {
    name: `control, ${dialect}`,
    world: worlds.default,
    maker,
    async send({ method, ...request }) {
      // Skip worlds that listen on their own ports or expire in real time.
      if (/"listen"|"ttl"/.test(request.payload ?? '')) return { statusCode: 204, body: '' }
      const reply = await running.inject({ ...request, method: method as 'GET' })
      return { statusCode: reply.statusCode, body: reply.body }
    },
    // A hostile URL may reach another API, whose failures have another format.
    isFailure: (body, { url }) => !isOwn(url) || isProblem(body),
    isDeclared500: false,
    faults: () => [],
    forget: () => {
      // Delete the worlds that requests created, because they would look like a leak.
      for (const { id } of running.worlds()) if (id !== 'default') running.deleteWorld(id)
      running.world().reset()
    },
    async close() {
      worlds.close()
      await running.close()
    },
  }
}
