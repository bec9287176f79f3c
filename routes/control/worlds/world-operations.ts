import { any, map, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { worldCalls } from '../context.ts'
import { environmentFormats, writeEnvironment } from './environment.ts'
import { infoShape, resetShape } from './world-shapes.ts'

const call = worldCalls()

export const worldOperations = [
  call({
    id: 'getInfo',
    route: 'GET /info',
    summary: 'Describe the process, with its current addresses and credentials.',
    spec: 'behaviour/program#fresh-world',
    reply: infoShape,
    run: (world, { context }) => world.info(context.origin),
  }),
  call({
    id: 'getEnvironment',
    route: 'GET /env',
    summary:
      'Return the environment variables for clients of the world: as sh (default), dotenv, json or github.',
    spec: 'behaviour/program#worlds-for-clients',
    query: withOthers(
      struct({ format: optional(described(word(...environmentFormats), '`sh` if left out')) }),
      any,
    ),
    reply: map(text),
    alternativeMediaTypes: ['text/plain'],
    run: (world, { context: { origin }, query: { format = 'sh' } }) => {
      const answer = () => {
        const environment = world.env(origin)
        return format === 'json' ? environment : writeEnvironment(environment, format)
      }
      const opening = world.openListeners()
      return opening === undefined ? answer() : defer(() => opening, answer)
    },
  }),
  call({
    id: 'reset',
    route: 'POST /reset',
    summary: 'Reset the world to its fixtures, completely or in parts.',
    body: resetShape,
    run: (world, { body }) => world.reset(body.what),
  }),
]
