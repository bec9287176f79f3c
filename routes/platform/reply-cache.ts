import type { FastifyRequest } from 'fastify'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Answer } from '../http/declare/operation.ts'
import { CachedJson, JsonText } from '../http/json-text.ts'
import { needsSerialization } from '../http/register.ts'

/** Maximum number of characters of the replies that one world keeps. */
const maxCharacters = 1_000_000

/** Cached replies that were rendered from one state of a world. */
interface StateReplies {
  /** Number of commits of the world, which identifies the state together with `epoch`. */
  readonly commits: number
  readonly epoch: number
  readonly byRequest: Map<string, Answer>
  characters: number
}

/** A read whose request has no body and whose reply may be cached. */
export interface CacheableRead {
  /** The cached reply; undefined if the read has to run. */
  readonly kept: Answer | undefined
  /** Runs the read. Caches its answer if the answer depends on nothing but the state. */
  run(work: () => Answer | Deferred<Answer>): Answer | Deferred<Answer>
}

/**
 * Cache of replies to reads. A reply is used again while its world has the state from which it was
 * rendered, for requests with the same URL, origin and token. Only replies that depend on nothing
 * else are cached. An operation that reads the clock, writes, generates ids or works outside the
 * transaction runs for each request, including the lookup of its subject.
 */
export class ReplyCache {
  readonly #replies = new WeakMap<World, StateReplies>()

  /**
   * Looks up the reply to a request, before the subject of the request is found. Returns undefined
   * if the reply must not be kept.
   *
   * @param origin the request's `worldOrigin`, which the caller has already computed
   * @param token text of the caller's token
   */
  begin(
    { method, url, body }: FastifyRequest,
    world: World,
    origin: string,
    token: string,
  ): CacheableRead | undefined {
    const { store, clock, ids } = world
    if (method !== 'GET' || store.hasWrites || (body !== undefined && body !== '')) return undefined
    const replies = this.#repliesOf(world)
    const key = `${token}\n${origin}\n${url}`
    const kept = replies.byRequest.get(key)
    if (kept !== undefined) return { kept, run: () => kept }
    const { readings } = clock
    const position = ids.state
    return {
      kept,
      run: (work) => {
        const result = work()
        if (result instanceof Deferred || store.hasWrites || clock.readings !== readings)
          return result
        if (ids.state !== position || this.#repliesOf(world) !== replies) return result
        return keep(replies, key, result)
      },
    }
  }

  #repliesOf(world: World): StateReplies {
    const { commits, feed } = world.store
    const { epoch } = feed
    const current = this.#replies.get(world)
    if (current?.commits === commits && current.epoch === epoch) return current
    const next = { commits, epoch, byRequest: new Map<string, Answer>(), characters: 0 }
    this.#replies.set(world, next)
    return next
  }
}

/**
 * Caches an answer that consists of a status and JSON only, unless the answer alone exceeds the
 * cache's limit. Returns the answer with its JSON serialized. Returns other answers unchanged. If
 * the cache would exceed its limit, discards all earlier answers.
 */
function keep(replies: StateReplies, key: string, answer: Answer): Answer {
  const { status, body, headers, afterSent } = answer
  if (headers !== undefined || afterSent !== undefined) return answer
  if (!(body instanceof JsonText) && !needsSerialization(body)) return answer
  const text = body instanceof JsonText ? body.text : stringifyJson(body)
  const rendered = { status, body: new CachedJson(text) }
  const characters = key.length + text.length
  if (characters > maxCharacters) return rendered
  if (replies.characters + characters > maxCharacters) {
    replies.byRequest.clear()
    replies.characters = 0
  }
  replies.byRequest.set(key, rendered)
  replies.characters += characters
  return rendered
}
