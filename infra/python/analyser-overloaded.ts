/** More files wait for analysis than may; nothing was read of this one. */
export class AnalyserOverloaded extends Error {
  override name = 'AnalyserOverloaded';
}
