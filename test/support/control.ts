import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { problemShape } from '../../routes/control/errors.ts'
import { type ControlApiOptions, controlApi } from '../../routes/control/index.ts'
import { controlOperations } from '../../routes/control/operations.ts'
import { FaultInjector } from '../../routes/faults/fault-injector.ts'
import { replySchemaOf, type ShapeOrSchema } from '../../routes/http/declare/shape-or-schema.ts'
import { Journals } from '../../routes/journal/journal.ts'
import { buildApp } from '../../src/server/app.ts'
import { type LogStream, logOptions } from '../../src/server/log.ts'
import { services } from '../../src/services.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Worlds, WorldsSettings } from '../../state/kernel/worlds/worlds.ts'
import { testWorlds } from './kernel.ts'
import { ajvOptions } from './openapi/openapi-document.ts'
import type { Reply } from './secrets/secrets.ts'

/**
 * Function that calls the control plane without a socket. Paths are below `/_mock`, unless they
 * begin with `/_world/`.
 */
type Ask = (
  method: string,
  path: string,
  payload?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>

/** Control plane over the test services of `kernel.ts`. */
export interface TestControl {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly world: World
  readonly ask: Ask
}

/**
 * Creates a control plane without a socket, which closes at the end of the test. Each reply is
 * checked by `checkReplies`.
 */
export async function control(
  options: Partial<ControlApiOptions> = {},
  settings: Partial<WorldsSettings> = {},
  log?: LogStream,
): Promise<TestControl> {
  const worlds = testWorlds(settings)
  const journals = new Journals()
  const faults = new FaultInjector()
  const api = controlApi({
    worlds,
    journals,
    faults,
    operations: controlOperations(services),
    describe: () => ({
      name: 'infra-understudy',
      version: '1.2.3',
      dialect: 'neutral',
      ports: { garden: 4600 },
    }),
    ready: () => true,
    allowedHosts: [],
    ...options,
  })
  const app = buildApp({
    worlds,
    recorder: journals,
    faults,
    apis: [api],
    log:
      log === undefined ? false : await logOptions({ logLevel: 'error', logFormat: 'json' }, log),
  })
  checkReplies(app)
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const ask: Ask = async (method, path, payload, headers = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url: path.startsWith('/_world/') ? path : `/_mock${path}`,
      headers,
      ...(payload === undefined
        ? {}
        : { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
    })
    const text = response.body
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return { app, worlds, world: worlds.default, ask }
}

/** Returns the expected body of a failure, with any string as the id of the request. */
export function problem(status: number, title: string, detail: string, problems?: string[]) {
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    ...(problems === undefined ? {} : { problems }),
    requestId: expect.any(String),
  }
}

/** Validator that all tests of a test file share, so that each shape is compiled once. */
const ajv = new Ajv2020({ ...ajvOptions, validateFormats: false })
const compiled = new WeakMap<ShapeOrSchema, ValidateFunction>()

function validatorOf(described: ShapeOrSchema): ValidateFunction {
  const validator = compiled.get(described) ?? ajv.compile(replySchemaOf(described))
  compiled.set(described, validator)
  return validator
}

/**
 * Makes a request fail if its reply does not match its shape: that of a problem for statuses from
 * 400 on, otherwise the one that the operation declares.
 */
function checkReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    // HTML pages are not operations.
    if (request.operation === undefined && reply.statusCode < 400) return
    const declared = request.operation?.reply
    const status = reply.statusCode
    const what = `${request.method} ${request.url} answers ${status}`
    const schema = status >= 400 ? problemShape : declared?.[status]
    if (schema === undefined) throw new Error(`${what}: not declared`)
    if (schema === null ? payload : request.method !== 'HEAD' && !payload) {
      throw new Error(`${what}: wrong whether there is a body`)
    }
    if (schema !== null && request.method !== 'HEAD') {
      const validate = validatorOf(schema)
      // States are sent as streams.
      const sent = payload instanceof Readable ? await textOf(payload) : String(payload)
      if (!validate(JSON.parse(sent))) {
        throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${sent}`)
      }
      return sent
    }
    return payload
  })
}
