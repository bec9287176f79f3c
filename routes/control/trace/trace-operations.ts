import { text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { answer, type Operation } from '../../http/declare/operation.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'
import { type ControlContext, operation, worldCalls } from '../context.ts'
import { type TracedRunInput, tracedRunShape } from './trace-shapes.ts'

const spec = 'behaviour/program#traces'
const call = worldCalls(spec)

const traceDeclaration = {
  spec,
  reply: { 200: text },
  mediaType: 'text/html',
} as const

const headers = {
  'content-type': 'text/html; charset=utf-8',
  // These headers make browsers save the page. If browsers displayed it, its scripts could access
  // this server.
  'content-disposition': 'attachment; filename="understudy-trace.html"',
  'x-content-type-options': 'nosniff',
}

/** Returns the answer with a trace of the world that the request names, or of all worlds. */
function traceOf({ process, world, namesWorld }: ControlContext, run?: TracedRunInput) {
  return defer(
    () => process.trace(namesWorld ? [world.id] : undefined, run),
    (page) => answer(200, page, { headers }),
  )
}

/** Returns the answer with a trace of one world. */
function traceOfWorld({ process, world }: ControlContext, run?: TracedRunInput) {
  return defer(
    () => process.trace([world.id], run),
    (page) => answer(200, page, { headers }),
  )
}

export const traceOperations: readonly Operation<ControlContext>[] = [
  operation({
    ...traceDeclaration,
    id: 'getTrace',
    method: 'GET',
    path: '/trace',
    summary:
      'Return a trace, a page for later viewing, of all worlds or of the world that the request names.',
    run: ({ context }) => traceOf(context),
  }),
  operation({
    ...traceDeclaration,
    id: 'createTrace',
    method: 'POST',
    path: '/trace',
    summary: 'Return the trace with additional facts that only the caller knows, such as the test.',
    body: tracedRunShape,
    run: ({ context, body }) => traceOf(context, body),
  }),
  operation({
    ...traceDeclaration,
    id: 'getTraceOfWorld',
    method: 'GET',
    path: '/worlds/:world/trace',
    summary: 'Return a trace, a page for later viewing, of this world.',
    run: ({ context }) => traceOfWorld(context),
  }),
  operation({
    ...traceDeclaration,
    id: 'createTraceOfWorld',
    method: 'POST',
    path: '/worlds/:world/trace',
    summary: 'Return the trace of this world with additional facts that only the caller knows.',
    body: tracedRunShape,
    run: ({ context, body }) => traceOfWorld(context, body),
  }),
]

export const markOperations = [
  call({
    id: 'addMark',
    route: 'POST /marks',
    summary: 'Add a line to the timeline of the world, which its traces show.',
    body: struct({ text: textOf({ minLength: 1, maxLength: 1_000 }) }),
    reply: struct({ text, at: described(instant, "Time on the world's clock") }),
    status: 201,
    run: (world, { body }) => world.mark(body.text),
  }),
]
