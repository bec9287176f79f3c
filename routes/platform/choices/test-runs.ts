import type { Choice } from '../../http/coverage.ts'

const states = '2-platform-decisions.md section 2.3'
const create = '2-platform-decisions.md section 2.1'
const log = '2-platform-decisions.md section 2.5'
const versions = '2-platform-decisions.md section 3'

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
      'The variable `mock_result` (`pass`, `fail`, `error`) of the run or else of its module; a push with `results` or `outcome`; the options `testOutcome` and `testResults`.',
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
    where: 'DESIGN section 7',
  },
  {
    id: 'test-run-push-canceled',
    about: 'A push to `canceled` of a run that nobody asked to stop.',
    choice: 'A running one is asked and stops at once; one that does not run is canceled.',
    evidence: 'decided here',
    where: 'DESIGN section 7',
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
    where: '2-platform-decisions.md section 9',
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
    where: '2-platform-decisions.md section 5.1',
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
    id: 'log-content',
    about: 'Which files and tests a log tells of: uploads are not read.',
    choice:
      'The files that `filters` names, else `<test-directory>/main.test.hcl`; in the first as many tests as the outcome has, `run_1` and on, one after the other. `verbose` adds nothing.',
    evidence: 'decided here',
    where: log,
  },
  {
    id: 'log-of-stopped-run',
    about: 'How the log of a run ends that does not finish.',
    choice:
      'Asked to stop, a test under way is skipped; then, and when errored, tear-down and a `Failure!` line. A forced end writes only the last byte.',
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
      'Uploads take PUT for 25 hours; downloads and logs take GET, without end. All else is 404, HEAD included. Rate limits do not count there.',
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
