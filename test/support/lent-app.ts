import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Api } from '../../routes/http/api.ts'
import type { WorldIndex } from '../../routes/http/request-head.ts'
import { buildApp } from '../../src/app.ts'
import type { TlsMaterial } from '../../src/tls.ts'

/** An app whose worlds are those of the test that has it. */
interface Lent {
  readonly app: FastifyInstance
  worlds: WorldIndex
  isClosed: boolean
}

/** Nobody has these, by their kind. To make one takes longer than most tests do. */
const idle = new Map<string, Lent[]>()

/** What is asked for. */
interface Wanted {
  /** Apps of one kind are all alike. */
  readonly kind: string
  readonly worlds: WorldIndex
  readonly api: () => Api
  readonly check: (app: FastifyInstance) => unknown
  readonly tls?: TlsMaterial | undefined
}

/** An app that serves these worlds until the test ends, and others then, unless it has listened. */
export async function lentApp({ kind, worlds, ...parts }: Wanted): Promise<FastifyInstance> {
  const others = idle.get(kind) ?? []
  idle.set(kind, others)
  const lent = (parts.tls === undefined && others.pop()) || (await made(worlds, parts))
  lent.worlds = worlds
  onTestFinished(async () => {
    if (parts.tls === undefined && !lent.isClosed && !lent.app.server.listening) others.push(lent)
    else await lent.app.close()
  })
  return lent.app
}

async function made(
  worlds: WorldIndex,
  { api, check, tls }: Omit<Wanted, 'kind' | 'worlds'>,
): Promise<Lent> {
  const index: WorldIndex = {
    named: (id) => lent.worlds.named(id),
    find: (id) => lent.worlds.find(id),
    list: () => lent.worlds.list(),
  }
  const app = buildApp({ worlds: index, apis: [api()], log: false, tls })
  const lent: Lent = { app, worlds, isClosed: false }
  app.addHook('onClose', async () => {
    lent.isClosed = true
  })
  check(app)
  await app.ready()
  return lent
}
