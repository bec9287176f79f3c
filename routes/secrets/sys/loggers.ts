import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { loggerLevelsOf, resetLoggerLevel, setLoggerLevel } from '../../../state/secrets/loggers.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { requiredField } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#operations-of-the-node', rootOnly: true })

const level = requiredField(described(text, 'trace, debug, info, warn or error'))
const reply = { 200: envelopeOf(map(text)) }

/** Operations on the levels of loggers. The levels are stored, but have no effect. */
export const loggerOperations: readonly SecretsOperation[] = [
  operation.read('readLoggers', 'loggers', {
    summary: 'Read the level of each logger.',
    reply,
    run: ({ world }) => dataOutcome(loggerLevelsOf(world)),
  }),
  operation.write('writeLoggers', 'loggers', {
    summary: 'Set the level of all loggers.',
    body: { level },
    apply: ({ world, fields }) => setLoggerLevel(world, fields.level),
  }),
  operation.delete('resetLoggers', 'loggers', {
    summary: 'Set all loggers back to the level of the configuration.',
    apply: ({ world }) => resetLoggerLevel(world),
  }),
  operation.read('readLogger', 'loggers/:name', {
    summary: 'Read the level of a logger; empty for an unknown logger.',
    reply,
    run: ({ world, params: { name } }) => dataOutcome(loggerLevelsOf(world, name)),
  }),
  operation.write('writeLogger', 'loggers/:name', {
    summary: 'Set the level of a logger.',
    body: { level },
    apply: ({ world, params: { name }, fields }) => setLoggerLevel(world, fields.level, name),
  }),
  operation.delete('resetLogger', 'loggers/:name', {
    summary: 'Set a logger back to the level of the configuration.',
    apply: ({ world, params: { name } }) => resetLoggerLevel(world, name),
  }),
]
