import type { Choice } from '../http/coverage.ts'
import { watchingChoices } from './watching-choices.ts'

const worlds = 'behaviour/program#worlds'
const http = 'behaviour/program#http'
const command = 'behaviour/program#command'
const state = 'behaviour/program#fresh-world'
const control = 'behaviour/program#control-plane'
const clients = 'behaviour/program#worlds-for-clients'

/**
 * Choices that hold for all services: kernel, worlds, control plane and process. The services that
 * are played have none of these, so what matters is which way of doing it was taken.
 */
export const processChoices: readonly Choice[] = [
  {
    id: 'world-of-request',
    about: 'Which world a request reaches that names two.',
    choice: 'The one of the path prefix goes before the one of `X-Mock-World`.',
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'unknown-world',
    about: 'A request for a world that there is not.',
    choice:
      '404 in the shape of the API that was asked; the text names the world, and `X-Mock-Hint` says what to do.',
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'world-ids',
    about: 'What worlds may be called.',
    choice:
      'Up to 100 letters, digits, `.`, `_` and `-`, a letter or digit first; made-up ids are `w-` and ten letters and digits.',
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'world-beginning',
    about: 'What a new world starts from.',
    choice:
      "The beginning of the default world, not its present, with the same shares and ids in its state; a seed, options or fixtures of its own make the start state anew. New ids differ: they go on from the world's own seed.",
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'world-from',
    about: 'Where a world made `from` a snapshot or a world begins.',
    choice:
      'Its reset goes back to that moment. Without a seed of its own it makes the same ids as its origin would.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'options-order',
    about: 'Which of several options wins.',
    choice:
      'Each of these goes before those in front of it: defaults, flags of the process (`--dialect`, `--root-token`), fixtures, `--options`; for a new world then its own fixtures and its own options.',
    evidence: 'extension',
    where: state,
  },
  {
    id: 'fixtures-short-forms',
    about: 'Whether fixtures add or replace.',
    choice: 'Short forms add to the fresh state; a table under `tables` is complete.',
    evidence: 'extension',
    where: state,
  },
  {
    id: 'import',
    about: 'What an import does to the rest of a world.',
    choice:
      'What the document leaves out is as in a fresh world without fixtures, except that time and ids go on. Reset still goes back to how the world began.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'reset',
    about: 'What a reset puts back.',
    choice:
      'Everything unless `what` names parts: state with options and pending work, clock, ids and paces; kept snapshots go. With `what` they stay.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'snapshots',
    about: 'Where a snapshot can be restored.',
    choice:
      'In the world that it was taken of, with which it goes; other worlds can be made from it. A world keeps 1,000; one more is 409.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'snapshot-diff',
    about: 'What a diff leaves out.',
    choice: 'Pending work, options and paces, as well as rows written again as they were.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'due-work',
    about: 'When work falls due that nobody waits for.',
    choice:
      'By a timer, and before each request whatever is due: no request sees a deadline that has passed. While nobody waits the timer rings once in 20 ms at most, and what it comes late for is done as of when it was due. Work that fails is logged and not tried again.',
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'clock-precision',
    about: 'How fine time is.',
    choice: 'Whole milliseconds; advancing by a part of one counts as one.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'clock-back',
    about: 'Whether time can go back.',
    choice: 'By setting the clock, from 1970 to 9999; what has happened stays. Advancing cannot.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'clock-jump',
    about: 'How far a jump in time goes at once.',
    choice:
      'Until 100000 things have happened, or as many as `limit` says; then the clock stands there and `more` is true. Others are answered meanwhile; jumps of a world wait for each other, and end early when the caller leaves, or the world is reset, restored or closed. Setting the clock to later does what falls due on the way, each at its own time.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'clock-scaled-late',
    about: 'What a scaled clock does that outruns what happens.',
    choice:
      'It runs slower: after 10 ms of work at once it is set back to what is next, so that others are answered meanwhile. Rates are 1000000 at most.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'clock-real',
    about: 'What setting the clock to `real` does.',
    choice: 'It gives up what was advanced before.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'feed-reach',
    about: 'How far back the change feed of a world reaches.',
    choice:
      'Nothing is kept while nobody asked for it; otherwise at least the last 1,000 commits, then a snapshot is needed.',
    evidence: 'extension',
    where: worlds,
  },
  {
    id: 'probes-without-token',
    about: 'Whether `/_mock/health` and `/_mock/ready` need the control token.',
    choice: 'No: those who ask them have none.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'readiness',
    about: 'When `/_mock/ready` answers 200.',
    choice:
      'Always, but while listeners are being opened and from the beginning of the end; without a socket at once.',
    evidence: 'extension',
    where: control,
  },
  {
    id: 'control-listener',
    about: 'Where the control plane answers.',
    choice: 'On the combined listener only; listeners of single APIs do not have it.',
    evidence: 'extension',
    where: http,
  },
  {
    id: 'head-size',
    about: 'How long a request line with its headers may be.',
    choice: '1 MiB, then 431 without a body.',
    evidence: 'decided here',
    where: http,
  },
  {
    id: 'exit-codes',
    about: 'How the command ends.',
    choice:
      '0 after a signal; 2 for flags, fixtures, options and addresses that cannot be used; 1 for faults of its own and at a second signal.',
    evidence: 'extension',
    where: command,
  },
  {
    id: 'certificates',
    about: 'What `--tls` makes.',
    choice:
      'A CA and a certificate for a year from now; the key of the CA is forgotten, so nobody can issue another one.',
    evidence: 'extension',
    where: command,
  },
  {
    id: 'world-ttl',
    about: 'What keeps a world with a `ttl` alive.',
    choice:
      'Each request that names it and each control call about it, embedded ones too; being listed does not. A request that still waits for its answer counts as one. It goes up to 10 ms late, and its snapshots go with it.',
    evidence: 'extension',
    where: clients,
  },
  {
    id: 'world-listeners',
    about: 'Which listeners a world has with `listen: true`, and which address is its best.',
    choice:
      'One for each API and a combined one with the control plane, on the address of the process. The best address of an API is its own listener, then the combined one of the world, then the listeners of the process below its prefix.',
    evidence: 'extension',
    where: clients,
  },
  {
    id: 'world-listeners-named',
    about: 'What a request means that names another world than the one whose listener it comes to.',
    choice: 'The world that it names: a listener is for requests that name none.',
    evidence: 'extension',
    where: clients,
  },
  {
    id: 'environment-authorities',
    about: 'Which variables name the CA.',
    choice:
      'Those of the secrets, mesh and scheduler products; clients of the platform trust what the system trusts.',
    evidence: 'extension',
    where: clients,
  },
  {
    id: 'worlds-auto',
    about: 'Which requests make a world under `--worlds auto`.',
    choice:
      'Those whose path prefix or header names it, of the control plane too; not `/_mock/worlds/{id}`. A name that no world can have is unknown.',
    evidence: 'extension',
    where: clients,
  },
  {
    id: 'default-world-off',
    about: 'What becomes of requests without a world under `--default-world off`.',
    choice:
      'They have no name, and no journal has them; `default` is there still, for those that name it and for the control plane.',
    evidence: 'extension',
    where: clients,
  },
  ...watchingChoices,
]
