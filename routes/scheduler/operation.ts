import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { memoize } from '../../state/kernel/memoize.ts'
import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import { storedSchema } from '../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { SchedulerCaller } from '../../state/scheduler/acl/callers.ts'
import type { StreamUpdate } from '../http/blocking/streaming-body.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import type { Answer, OperationDeclaration, Replies } from '../http/declare/operation.ts'
import { CachedJson, type JsonText, jsonList } from '../http/json-text.ts'
import type { Query } from '../http/query.ts'
import { checkRights, type SchedulerAccess } from './access.ts'
import { type SchedulerDialect, schedulerDialect } from './dialect.ts'
import { checkQuery, type ReadOptions } from './query.ts'

/** Returns the JSON of a value; of a row, and of what is derived from one, it is written once. */
type Writer = (world: World, value: unknown) => JsonText

/** Writers of a shape, one for each dialect. */
type Writers = Readonly<Record<DialectName, Writer>>

/** Makes the writers of a shape. What they write never changes in place, as rows do not. */
function writersOf(shape: Shape): Writers {
  return { neutral: writerOf(shape, 'neutral'), vendor: writerOf(shape, 'vendor') }
}

function writerOf(shape: Shape, name: DialectName): Writer {
  const dialect = schedulerDialect(name)
  const write = (value: unknown): CachedJson =>
    new CachedJson(JSON.stringify(dialect.value(shape, value)))
  if (shape.kind === 'nullable') return writerOf(shape.to, name)
  if (shape.kind === 'list' && shape.orderedBy === undefined) {
    const item = writerOf(shape.of, name)
    return (world, value) =>
      Array.isArray(value) ? jsonList(value.map((each) => item(world, each).text)) : write(value)
  }
  return (world, value) =>
    typeof value === 'object' && value !== null ? world.derived(value, write) : write(value)
}

/** The finding of a read at one moment. */
export interface Reading {
  /** The index of what is read, for `X-Sched-Index` and for waiting. */
  readonly index: number
  /** A value of the operation's `answers`. */
  readonly body?: unknown
  /** Text of a 404 for something that there is not. */
  readonly absent?: Message
  /** The token of the next page; left out when this is the last one. */
  readonly nextToken?: string | undefined
  /** For so many seconds whoever asked may keep the answer. */
  readonly maxAge?: number
}

/**
 * A read that can block (behaviour/scheduler#blocking): reads anew each time, also
 * when a wait is over. What it looks at is what it waits for; what it refuses ends the wait.
 */
export type Read = (options: ReadOptions) => Reading

/** The surroundings of an operation of the jobs API. */
export interface SchedulerContext {
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly query: Query
  /** Who calls; refuses an unknown token (403). */
  readonly caller: SchedulerCaller
  /** `?namespace=`; undefined when not given, which mostly means `default`. */
  readonly queryNamespace: string | undefined
  /** `?namespace=`, else `default`. */
  readonly namespace: string
  /** True when a body was sent at all. */
  readonly hasBody: boolean
  /** Who may ask for the operation. */
  readonly access: SchedulerAccess
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>
  /** The token that was sent, if any. */
  readonly secret: string | undefined
  /** The body as Go's decoder takes it. What operations declare they get as `body` of the call. */
  decode<const S extends StructShape>(shape: S): ParsedOf<S>
  /** The body as text. */
  readonly text: string
  /** Answers a read: looks at what every read takes, waits if asked to, adds the headers of reads. */
  read(read: Read): Answer | Deferred<Answer>
  /** Answers a read that never waits, whatever it is asked, with the headers of reads. */
  readWithoutWaiting(read: Read): Answer | Deferred<Answer>
  /** Answers a read of what has no index: it does not wait, and has no headers. */
  readUnindexed(read: () => unknown): Answer
  /** As `told`, once what every read takes is looked at. */
  readUnindexedWithOptions(read: () => unknown): Answer
  /** Answers with a body that grows until it ends, while the connection is held. */
  stream(mediaType: string, readGrowth: () => StreamUpdate): Answer
  /** Answers with a stream, made for the response that it goes to. */
  streamResponse(
    headers: Readonly<Record<string, string>>,
    makeStream: (response: ServerResponse) => Readable,
  ): Answer
  /** Answers a write: 200 with the index of its commit. */
  writeReply(body: object | undefined, index: number): Answer
}

/** An operation of the jobs API: as any, with the shape of what it answers. */
export interface SchedulerOperation extends OperationDeclaration<string, Shape> {
  /** POST is PUT too, PUT nothing else. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Whatever the method is, it is this; documents name the one that it declares. */
  readonly anyMethod: boolean
  readonly access: SchedulerAccess
  /** The shape of a 200's body, by which it takes the dialect's names; undefined: as it is. */
  readonly answers: Shape | undefined
  /** Served also while the cluster has no leader. */
  readonly withoutLeader: boolean
  /** Writes such a body as JSON. */
  readonly writers: Writers | undefined
  /** Refuses bad parameters that its path looks at before the method; undefined: there are none. */
  readonly beforeMethod: ((query: Query) => void) | undefined
  /** Shapes of the bodies of what it answers beside a 200; null: none. */
  readonly otherwise: Readonly<Record<number, Shape | null>> | undefined
  /** The schema of a 200's body where `answers` alone does not say it. */
  readonly schema: ((dialect: DialectName) => JsonSchema) | undefined
  run(call: {
    readonly context: SchedulerContext
    readonly params: Readonly<Record<string, string>>
  }): Answer | Deferred<Answer>
}

type Parameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Parameters<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

interface Declaration<Path extends string, Body extends StructShape> {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Any other does the same. */
  readonly anyMethod?: true
  /** Below `/v1`; its first parameter may hold slashes. */
  readonly path: Path
  readonly access: SchedulerAccess
  readonly summary: string
  readonly spec: string
  /** The parameters that it reads beside those that many read (openapi.ts). */
  readonly query?: StructShape
  readonly body?: Body
  /** A request may do without it; else an empty one is refused (400). */
  readonly bodyOptional?: boolean
  /** Words what is wrong with a body, where that has a text of its own. */
  readonly bodyFault?: (why: Message) => Error
  /** The statuses of failures that it has besides those of its kind (openapi.ts). */
  readonly failures?: readonly number[]
  /** The shape of a 200's body. */
  readonly answers?: Shape
  /** What it answers beside a 200: bodies by status, null for none. */
  readonly otherwise?: Readonly<Record<number, Shape | null>>
  /** Its schema, where the shape alone does not say it. */
  readonly schema?: (dialect: DialectName) => JsonSchema
  /** Refuses bad parameters that the path looks at before the method. */
  readonly beforeMethod?: (query: Query) => void
  /** It is served also while the cluster has no leader; reads that allow `stale` are anyway. */
  readonly withoutLeader?: true
  run(call: {
    readonly context: SchedulerContext
    readonly params: Readonly<Record<Parameters<Path>, string>>
    /** Reads the body as Go's decoder takes it; refuses an empty or broken one (400). */
    body(): ParsedOf<Body>
  }): Answer | Deferred<Answer>
}

/**
 * Declares an operation of the jobs API. POST also serves PUT: the two are equal on all paths that
 * write (behaviour/scheduler#conventions).
 */
export function operation<
  const Path extends string,
  const Body extends StructShape = StructShape<Record<never, never>>,
>(declaration: Declaration<Path, Body>): SchedulerOperation {
  const { id, method, path, summary, spec, query, body, bodyOptional, bodyFault, access } =
    declaration
  const { answers, otherwise, schema, beforeMethod, failures, run } = declaration
  const { withoutLeader = false, anyMethod = false } = declaration
  // A job's schema is large, and only those who check replies ask for it.
  const reply = memoize(() => repliesOf({ answers, otherwise, schema }, 'neutral'))
  return {
    id,
    method,
    anyMethod,
    path,
    summary,
    spec,
    access,
    failures,
    query,
    body,
    bodyOptional,
    answers,
    otherwise,
    withoutLeader,
    writers: answers && writersOf(answers),
    schema,
    beforeMethod,
    get reply() {
      return reply()
    },
    run({ context, params }) {
      const input = memoize(() => {
        if (body === undefined) throw new Error(`${id} declares no body`)
        return decodeInput(context, body, bodyFault)
      })
      // Reads are admitted where they read, each time anew.
      if (method !== 'GET') {
        checkRights(context, 'first')
        if (access !== 'anyone' && access.when === 'before') {
          checkQuery(context.query, query)
          if (body !== undefined && (context.hasBody || bodyOptional !== true)) input()
          checkRights(context, 'before')
        }
      }
      return run({ context, params: params as never, body: input })
    },
  }
}

function decodeInput<const S extends StructShape>(
  context: SchedulerContext,
  shape: S,
  fault: ((why: Message) => Error) | undefined,
): ParsedOf<S> {
  try {
    return context.decode(shape)
  } catch (error) {
    throw fault !== undefined && error instanceof Refusal ? fault(error.reason) : error
  }
}

/** Returns what an operation answers in a dialect; what answers nothing has no body. */
export function repliesOf(
  { answers, otherwise, schema }: Pick<SchedulerOperation, 'answers' | 'otherwise' | 'schema'>,
  dialect: DialectName,
): Replies {
  if (schema !== undefined) return { 200: schema(dialect) }
  const others = Object.entries(otherwise ?? {}).map(([status, shape]) => [
    status,
    shape && replySchema(shape, dialect),
  ])
  return {
    200: answers === undefined ? null : replySchema(answers, dialect),
    ...Object.fromEntries(others),
  }
}

/** Lists at top level are never null. */
function replySchema(answers: Shape, dialect: DialectName): JsonSchema {
  return answers.kind === 'list'
    ? { type: 'array', items: storedSchema(answers.of, dialect) }
    : storedSchema(answers, dialect)
}
