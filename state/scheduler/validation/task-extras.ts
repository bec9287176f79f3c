import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'
import type { Task } from '../job/task-shape.ts'
import { combineErrors, failedChecks } from './errors.ts'

/** Messages about identities and actions of tasks (behaviour/scheduler#validation). */
export const { table: taskExtraMessages, message } = defineMessages(
  messageTexts({
    'action-invalid': 'Action {name} validation failed: {errors}',
    'action-again': 'Action {name} defined multiple times',
    'action-command-missing': 'command cannot be empty',
    'action-name-invalid': "invalid name '{name}'",
    'identity-invalid': 'Identity {name} is invalid: {errors}',
    'identity-default-again': 'Duplicate default identities found',
    'identity-name-invalid': 'invalid name {name}. Must match regex {pattern}',
    'identity-audience-empty': 'an empty string is an invalid audience ({at})',
    'identity-signal-unused': 'can only use change_signal={signal} with change_mode="signal"',
    'identity-signal-missing': 'change_signal must be specified when using change_mode="signal"',
    'identity-mode-unknown': 'invalid change_mode: {mode}',
    'identity-ttl-default': 'ttl for default identity not yet supported',
    'identity-ttl-negative': 'ttl must be >= 0',
    'identity-filepath': 'file parameter must be true in order to specify filepath',
  }),
)

/**
 * Returns the errors of a task's actions. If several actions have the same name, one further error
 * reports the name.
 */
export function actionErrors({ Actions }: Task): readonly Message[] {
  const counts = new Map<string, number>()
  return (Actions ?? []).flatMap(({ Name, Command }) => {
    const count = (counts.get(Name) ?? 0) + 1
    counts.set(Name, count)
    const errors = failedChecks(
      Command === '' && message('action-command-missing'),
      !/^[^\0\t\n\f\r ]{1,128}$/.test(Name) && message('action-name-invalid', { name: Name }),
    )
    return [
      ...combineErrors(errors, (list) => message('action-invalid', { name: Name, errors: list })),
      ...failedChecks(count === 2 && message('action-again', { name: Name })),
    ]
  })
}

type Identity = NonNullable<Task['Identity']>

const defaultName = 'default'

/** Pattern of identity names in Go's notation, for use in messages. */
const namePattern = '^[a-zA-Z0-9-_]{1,128}$'

/** Returns the errors of a task's identities, beginning with the errors of the default identity. */
export function identityErrors({ Identity, Identities }: Task): readonly Message[] {
  const invalid = (identity: Identity) =>
    combineErrors(errorsOfIdentity(identity), (errors) =>
      message('identity-invalid', { name: quoteGo(identity.Name ?? ''), errors }),
    )
  return [
    ...(Identity ? invalid(Identity) : []),
    ...(Identities ?? []).flatMap((identity) => [
      ...failedChecks(identity.Name === defaultName && message('identity-default-again')),
      ...invalid(identity),
    ]),
  ]
}

function errorsOfIdentity(identity: Identity): readonly Message[] {
  const { Name = '', ChangeMode: mode = '', ChangeSignal: signal = '', TTL = 0 } = identity
  return [
    ...failedChecks(
      !/^[a-zA-Z0-9\-_]{1,128}$/.test(Name) &&
        message('identity-name-invalid', { name: quoteGo(Name), pattern: namePattern }),
    ),
    ...(identity.Audience ?? []).flatMap((audience, at) =>
      failedChecks(audience === '' && message('identity-audience-empty', { at: at + 1 })),
    ),
    ...failedChecks(
      ['', 'noop', 'restart'].includes(mode) &&
        signal !== '' &&
        message('identity-signal-unused', { signal: quoteGo(signal) }),
      mode === 'signal' && signal === '' && message('identity-signal-missing'),
      !['', 'noop', 'restart', 'signal'].includes(mode) &&
        message('identity-mode-unknown', { mode }),
      TTL > 0 && ['', defaultName].includes(Name) && message('identity-ttl-default'),
      TTL < 0 && message('identity-ttl-negative'),
      Boolean(identity.Filepath) && !identity.File && message('identity-filepath'),
    ),
  ]
}
