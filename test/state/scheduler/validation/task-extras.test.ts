import { describe, expect, test } from 'vitest'
import type { Members } from '../job/sample-job.ts'
import { multiError } from '../support.ts'
import { inTask, taskErrorsOf } from './job-errors.ts'

const section = 'behaviour/scheduler#validation, task'

describe(`${section}: actions`, () => {
  test.each<[Members[], string[]]>([
    [
      [{ Name: 'a', Command: '' }],
      [`Action a validation failed: ${multiError(['command cannot be empty'])}`],
    ],
    [
      [{ Name: 'a b', Command: 'x' }],
      [`Action a b validation failed: ${multiError(["invalid name 'a b'"])}`],
    ],
    [[1, 2, 3].map((n) => ({ Name: 'a', Command: `c${n}` })), ['Action a defined multiple times']],
    [
      [
        { Name: 'a', Command: 'x' },
        { Name: 'b', Command: 'x' },
      ],
      [],
    ],
  ])('%j', (Actions, errors) => {
    expect(taskErrorsOf({ Actions })).toEqual(errors.length === 0 ? [] : inTask(...errors))
  })
})

describe(`${section}: identities`, () => {
  test.each<[Members, string]>([
    [{ Name: 'a b' }, 'invalid name "a b". Must match regex ^[a-zA-Z0-9-_]{1,128}$'],
    [{ Audience: ['x', ''] }, 'an empty string is an invalid audience (2)'],
    [{ ChangeSignal: 'SIGHUP' }, 'can only use change_signal="SIGHUP" with change_mode="signal"'],
    [{ ChangeMode: 'signal' }, 'change_signal must be specified when using change_mode="signal"'],
    [{ ChangeMode: 'x' }, 'invalid change_mode: x'],
    [{ TTL: -1 }, 'ttl must be >= 0'],
    [{ Filepath: 'x' }, 'file parameter must be true in order to specify filepath'],
  ])('%j', (members, text) => {
    const identity = { Name: 'own', ...members }
    expect(taskErrorsOf({ Identities: [identity] })).toEqual(
      inTask(`Identity "${identity.Name}" is invalid: ${multiError([text])}`),
    )
  })

  test('the default one has no lifetime', () => {
    expect(taskErrorsOf({ Identity: { TTL: 1 } })).toEqual(
      inTask(
        `Identity "default" is invalid: ${multiError(['ttl for default identity not yet supported'])}`,
      ),
    )
  })

  test('valid identities have no errors', () => {
    const valid = { Name: 'own', Audience: ['a'], ChangeMode: 'signal', ChangeSignal: 'SIGHUP' }
    expect(taskErrorsOf({ Identities: [valid, { Name: 'b', File: true, Filepath: 'x' }] })).toEqual(
      [],
    )
  })
})
