import type { Choice } from '../../http/coverage.ts'

const states = 'behaviour/platform#test-run-states'
const create = 'behaviour/platform#create-test-run'
const log = 'behaviour/platform#log'
const versions = 'behaviour/platform#configuration-versions'

/** Test runs, configuration versions, uploads and logs. */
export const testRunChoices: readonly Choice[] = [
  {
    id: 'test-run-hold',
    about: 'Which configuration holds a run back, so that it is seen `pending`.',
    choice: 'The option `holdTestRuns`; a push of its transition lets it go on.',
    evidence: 'decided here',
    where: states,
  },
  {
    id: 'test-run-outcome',
    about: 'The hook that decides what comes of a run.',
    choice:
      'A push with `results` or `outcome`; else the counts of the option `testResults`; else the variable `mock_result` (`pass`, `fail`, `error`) of the run or else of its module; else the option `testOutcome`.',
    evidence: 'decided here',
    where: states,
  },
  {
    id: 'test-run-mock-variables',
    about: 'How values of `wait_time` and `mock_result` are read, which are expressions.',
    choice:
      "When the run is made, bare or in double quotes; the run's own before the module's. Anything else means nothing. A wait lasts a day at most.",
    evidence: 'decided here',
    where: states,
  },
  {
    id: 'test-run-pace',
    about: 'What a pace means, where options give a time for each step.',
    choice:
      'A pace that is set replaces all three times; `wait_time` goes before `after`, not before `immediate` or `manual`.',
    evidence: 'decided here',
    where: 'behaviour/program#control-plane',
  },
  {
    id: 'test-run-push-canceled',
    about: 'A push to `canceled` of a run that nobody asked to stop.',
    choice: 'A running one is asked and stops at once; one that does not run is canceled.',
    evidence: 'decided here',
    where: 'behaviour/program#control-plane',
  },
  {
    id: 'test-run-null-value',
    about: 'A variable of a run without a value, or with null.',
    choice: 'Its value is an empty text. An object or a list is `Variables is invalid`.',
    evidence: 'decided here',
    where: create,
  },
  {
    id: 'test-run-marker-header',
    about: "The neutral spelling of the command-line client's marker header, and its values.",
    choice: '`X-Infra-Integration`; any value counts.',
    evidence: 'decided here',
    where: 'behaviour/platform#vendor-names',
  },
  {
    id: 'test-run-parallelism',
    about: 'Whether the vendor dialect tells `parallelism` of runs that were sent none.',
    choice: 'No: the attribute is missing.',
    evidence: 'decided here',
    where: create,
  },
  {
    id: 'auto-provisioned-owner',
    about: 'Whose an organization is that `autoProvision` makes.',
    choice:
      'It belongs to the user who called. Tokens of teams and organizations make none; modules come with version 1.0.0.',
    evidence: 'decided here',
    where: 'behaviour/platform#seeds',
  },
  {
    id: 'auto-created-run-tests-enabled',
    about: 'An upload for a module whose tests have to be enabled and are not.',
    choice: 'The upload succeeds and starts no run.',
    evidence: 'decided here',
    where: versions,
  },
  {
    id: 'published-version',
    about: 'The version that stands for the published source where nothing was uploaded.',
    choice: 'Later runs of the module use the same one. It downloads as an empty archive.',
    evidence: 'decided here',
    where: create,
  },
  {
    id: 'log-pace',
    about: 'When the lines of a log are written while a run runs.',
    choice:
      'Run blocks share the running time; a line says every two seconds that one is under way, for an hour at most, not at the moment of its planned end.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'log-of-pushed-run',
    about: 'The log of a run that a push ends otherwise than was planned.',
    choice:
      'What was told stands; the tests that are left get the statuses that are left, in order, and run blocks beyond them appear nowhere.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'log-test-file-names',
    about: 'The names of test files that count.',
    choice:
      'Those that end as the option `testFileNames` says: all four endings, in the vendor dialect the two of its tool.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'log-all-skipped',
    about: 'The summary of a run whose tests are all skipped.',
    choice: 'Status `skip`, and so `Failure!`, as the reference has it.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'log-slice-values',
    about: '`limit` or `offset` that is no number of bytes.',
    choice: 'As if left out.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'object-addresses',
    about: 'What object addresses are good for, and how long.',
    choice:
      'Uploads take PUT for 25 hours; downloads and logs take GET, without end. All else is 404, HEAD of all but archives of modules included. Rate limits do not count there.',
    evidence: 'decided here',
    where: versions,
  },
  {
    id: 'upload-order-of-checks',
    about: 'The order of 404, 403, 409 and 413 of an upload.',
    choice:
      'As listed. 409 is looked at again when all bytes are there; time that runs out meanwhile does no harm.',
    evidence: 'decided here',
    where: versions,
  },
  {
    id: 'upload-valid-archive',
    about: 'What `validateArchives` takes for a gzip tar.',
    choice:
      'Gzip of blocks whose headers have their check sums and whose files are complete; the two blocks at the end may be missing.',
    evidence: 'decided here',
    where: versions,
  },
]
