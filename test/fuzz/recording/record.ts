import { createHash } from 'node:crypto'
import fc from 'fast-check'
import {
  draftArbitrary,
  type GeneratedRequest,
  type RequestDraft,
} from '../../support/generated/generated-requests.ts'
import { anyHostility, hostile } from '../hostile.ts'
import { FilledWorld } from './filled-world.ts'
import { type ListenerName, type RecordingStart, textOf, type WireReply } from './format.ts'
import { isRecordable, type Maker, wireRequest } from './makers.ts'
import { recordPresets } from './presets.ts'
import { recordDocuments } from './record-documents.ts'
import type { Recorder } from './recorder.ts'
import { recordScript } from './scripted.ts'
import { filling } from './scripts/filling.ts'
import { lives } from './scripts/node-life.ts'

/** Number of requests after which the world is restored to its filled state. */
const batch = 50

/**
 * Maximum number of attempts at an operation in the first round; the first one that is served ends
 * them.
 */
const tries = 12

/**
 * Maximum number of attempts in the second round, which covers operations that were never served.
 */
const moreTries = 40

const seedOf = (text: string) => createHash('sha256').update(text).digest().readInt32LE(0)

/** Records a whole run: documents, samples, every operation, then random requests. */
export async function recordRun(recorder: Recorder, start: RecordingStart): Promise<void> {
  const makers = await recordDocuments(recorder, start.dialect)
  const apis = makers.filter(({ listener }) => listener !== 'combined')
  const [control] = makers.filter(({ listener }) => listener === 'combined')
  let draws = seedOf(start.seed)

  const drafts = (count: number) => {
    draws = (draws + count) | 0
    return fc.sample(fc.tuple(draftArbitrary, anyHostility), { seed: draws, numRuns: count })
  }

  for (const { listener, maker } of apis) {
    const samples = maker.samples()
    for (let next = samples.next(0); next.done !== true; ) {
      const reply = await ask(listener, maker, next.value)
      next = samples.next(reply?.status ?? 400)
    }
  }
  await recordScript(recorder, filling, start.dialect)
  await recorder.control('POST', '/clock/advance', { by: '1m' })
  const world = await FilledWorld.keep(recorder)
  const restore = () => world.restore()

  for (const script of lives) {
    await restore()
    await recordScript(recorder, script, start.dialect)
  }
  await recordPresets(recorder, restore, async (service) => {
    const [first] = apis
    const api = apis.find(({ listener }) => listener === service) ?? first
    if (api === undefined) return
    for (const [draft] of drafts(8)) {
      const request = api.maker.request({ ...draft, corruption: 'none' })
      await ask(api.listener, api.maker, request)
    }
  })

  for (const count of [tries, moreTries]) {
    for (const { listener, maker, operations } of count === tries ? makers : apis) {
      await restore()
      for (const [at, operation] of operations.entries()) {
        if (recorder.isServed(listener, operation)) continue
        // In the second round, one operation may prepare what the next one needs.
        if (count === tries) await restore()
        for (const [draft] of drafts(count)) {
          const reply = await ask(listener, maker, maker.request(whole(draft, at)))
          await askWithIndex(listener, maker, maker.request(whole(draft, at)), reply)
          if (reply !== undefined && reply.status < 400) break
        }
      }
    }
    await recorder.finishBatch()
  }

  for (let round = 0; recorder.requests < start.requests; round += 1) {
    await restore()
    const isControl = round % 6 === 5
    const chosen = apis[round % apis.length]
    for (const [draft, hostility] of drafts(batch)) {
      const at = draft.picks[0] ?? 0
      const target = isControl && at % 3 > 0 ? control : isControl ? apis[at % 4] : chosen
      if (target === undefined) continue
      const request = hostile(target.maker.request(draft), hostility)
      // The combined listener serves all APIs, but only one of them at an ambiguous path.
      const listener = at % 8 === 0 ? 'combined' : target.listener
      await ask(listener, target.maker, isControl && at % 5 === 0 ? inWorld(request) : request)
    }
    await recorder.control('POST', '/clock/advance', { by: '1s' })
    if (round % 8 === 7) await recorder.control('GET', '/state')
    if (isControl) await forgetWorlds()
  }
  await recorder.finishBatch()

  async function ask(
    listener: ListenerName,
    maker: Maker['maker'],
    request: GeneratedRequest,
  ): Promise<WireReply | undefined> {
    if (!isRecordable(request)) return undefined
    const reply = await recorder.ask(wireRequest(listener, request, start.dialect))
    maker.remember(textOf(reply.body).slice(0, 100_000))
    return reply
  }

  /** Repeats a read with the index of its reply, so that it blocks until a change. */
  async function askWithIndex(
    listener: ListenerName,
    maker: Maker['maker'],
    request: GeneratedRequest,
    reply: WireReply | undefined,
  ): Promise<void> {
    const [, index] = reply?.headers.find(([name]) => /-index$/i.test(name)) ?? []
    if (index === undefined || request.method !== 'GET' || reply?.status !== 200) return
    if (listener !== 'mesh' && listener !== 'scheduler') return
    const query = `${request.url.includes('?') ? '&' : '?'}index=${index}&wait=5s`
    await ask(listener, maker, { ...request, url: request.url + query })
  }

  async function forgetWorlds(): Promise<void> {
    const { body: text } = await recorder.control('GET', '/worlds')
    for (const { id: world } of JSON.parse(textOf(text)).worlds) {
      if (world !== 'default') await recorder.control('DELETE', `/worlds/${world}`)
    }
  }
}

const whole = (draft: RequestDraft, operation: number): RequestDraft => ({
  ...draft,
  corruption: 'none',
  picks: [operation, ...draft.picks.slice(1)],
})

const inWorld = (request: GeneratedRequest): GeneratedRequest =>
  request.url.startsWith('/_mock') ? request : { ...request, url: `/_world/w${request.url}` }
