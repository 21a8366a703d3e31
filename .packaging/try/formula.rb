# formula.rb PACKAGES PREFIX: a stand-in for Homebrew. It evaluates the formula for this machine, checks the archive's hash
# and runs `install` and `test`.
require "digest"
require "fileutils"
require "tmpdir"

PACKAGES, PREFIX = ARGV.map { |path| File.expand_path(path) }
PROCESSOR = RUBY_PLATFORM.match?(/aarch64|arm64/) ? :arm : :intel

# A folder of the prefix.
class Folder
  def initialize(path) = @path = path
  def to_s = @path

  def install(files)
    FileUtils.mkdir_p(@path)
    pairs = files.is_a?(Hash) ? files : Array(files).to_h { |file| [file, File.basename(file)] }
    raise "nothing to install" if pairs.empty?

    pairs.each { |from, to| FileUtils.install(from, File.join(@path, to), preserve: true) }
  end
end

# The words of Homebrew that the formula uses.
class Formula
  class << self
    attr_reader :address, :hash, :check

    %i[desc homepage license].each { |word| define_method(word) { |*| } }
    def version(value = nil) = value ? @version = value : @version
    def on_linux = yield
    def on_macos = nil
    def on_intel = (yield if PROCESSOR == :intel)
    def on_arm = (yield if PROCESSOR == :arm)
    def url(value) = @address = value
    def sha256(value) = @hash = value
    def test(&block) = @check = block
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |word, path|
    define_method(word) { Folder.new(File.join(PREFIX, path)) }
  end

  def version = self.class.version
  def shell_output(command) = `#{command}`
  def assert_match(part, text) = (raise "#{part} is not in #{text}" unless text.include?(part))
end

load File.join(PACKAGES, "pagewise.rb")
archive = File.join(PACKAGES, File.basename(Pagewise.address))
raise "another hash" unless Digest::SHA256.file(archive).hexdigest == Pagewise.hash

Dir.mktmpdir do |folder|
  system("tar", "-xzf", archive, "-C", folder, "--strip-components=1", exception: true)
  Dir.chdir(folder) { Pagewise.new.install }
end
Pagewise.new.instance_eval(&Pagewise.check)
puts "#{Dir.glob("#{PREFIX}/**/*").count { |path| File.file?(path) }} files installed, test passed"
