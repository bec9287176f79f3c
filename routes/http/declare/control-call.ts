import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import { type Deferred, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Answer,
  answer,
  type Call,
  type Method,
  noContent,
  type Operation,
  type OperationDeclaration,
  type PathParams,
} from './operation.ts'
import type { InputValue, ShapeOrSchema } from './shape-or-schema.ts'
import { InputError, sharedValidator } from './validate.ts'

/** Functions of the process that all parts of a world's control use. */
export interface ControlTools {
  /**
   * Adds fixtures of services to the current state of a world.
   *
   * @throws {Mistakes} with every mistake; nothing changes in this case
   */
  addFixtures(world: World, fixtures: object): void
}

/**
 * Runs the work of a call. If the work throws an error, the stack of the error begins with the
 * caller of `call`. A stack has only ten frames; without this function, the frames of the work
 * could displace the caller.
 */
export function withCallersStack<T>(call: (...args: never[]) => unknown, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error, call)
    throw error
  }
}

/**
 * A part of a world's control. The methods of a subclass are the control calls of one service or
 * about one subject.
 */
export class ControlPart {
  protected readonly world: World
  protected readonly tools: ControlTools

  constructor(world: World, tools: ControlTools) {
    this.world = world
    this.tools = tools
  }

  /**
   * Checks an argument against its shape.
   *
   * @param name name of the argument in messages
   * @throws {InputError} with every mistake
   */
  protected check(shape: ShapeOrSchema, value: unknown, name = 'body'): void {
    const problems = sharedValidator.check(shape, value, name)
    if (problems.length > 0) throw new InputError(problems)
  }
}

/** The class of a control part. The control of a world creates the part on first access. */
export type ControlPartClass<Part extends object> = new (world: World, tools: ControlTools) => Part

/** The context in which the control calls of an API run. */
export interface PartContext {
  /** The world that the path names; if the path names none, the world of the request. */
  readonly world: {
    part<Part extends object>(part: ControlPartClass<Part>): Part
  }
  readonly process: { readonly dialect: DialectName }
  /** The scheme and host with which the caller reached the server. */
  readonly origin: string
}

type PathOf<Route extends string> = Route extends `${Method} ${infer Path}` ? Path : never

/**
 * The declaration of a call on the control plane. The call runs a method of a control, for example
 * of a `ControlPart`.
 */
export interface CallDeclaration<Control, Context, Route extends string, Query, Body>
  extends Pick<OperationDeclaration, 'id' | 'summary' | 'alternativeMediaTypes'> {
  /** Method and path below `/_mock`, such as `GET /scheduler/outcomes`. */
  readonly route: Route
  /** Citation of the rules that specify the call. Default: the citation of its group of calls. */
  readonly spec?: string
  readonly query?: Query
  readonly body?: Body
  /** Shape of the result. Without a shape, the answer has the status 204 and no body. */
  readonly reply?: ShapeOrSchema
  /** Status of an answer with a body. Default: 200. */
  readonly status?: 200 | 201
  /** Returns the body of the answer, or deferred work whose result is the body. */
  run(
    control: Control,
    call: Call<Context, PathParams<PathOf<Route>>, InputValue<Query>, InputValue<Body>>,
  ): unknown
}

/**
 * Returns the function that declares the calls of one control.
 *
 * @param controlOf returns the control for a request
 * @param spec citation of the rules that specify the calls
 */
export function callsOf<Control, Context>(
  controlOf: (context: Context) => Control,
  spec = 'behaviour/program#control-plane',
) {
  return <
    const Route extends `${Method} /${string}`,
    const Query extends ShapeOrSchema | undefined = undefined,
    const Body extends ShapeOrSchema | undefined = undefined,
  >({
    route,
    reply,
    status = 200,
    run,
    ...rest
  }: CallDeclaration<Control, Context, Route, Query, Body>): Operation<Context> => {
    const [method, path = ''] = route.split(' ')
    const toAnswer = (body: unknown): Answer =>
      reply === undefined ? noContent : answer(status, body)
    return {
      spec,
      ...rest,
      method: method as Method,
      path,
      reply: reply === undefined ? { 204: null } : { [status]: reply },
      run(call): Answer | Deferred<Answer> {
        // The cast is safe, because the router and the validator have checked the parts of the
        // call.
        return mapResult(run(controlOf(call.context), call as Parameters<typeof run>[1]), toAnswer)
      },
    }
  }
}

/** Returns the function that declares the calls of a part of a world's control. */
export function partCalls<Part extends object>(part: ControlPartClass<Part>) {
  return callsOf(({ world }: PartContext) => world.part(part))
}
