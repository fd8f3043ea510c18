# For a tap of one's own. Checked for syntax; not yet installed by Homebrew on a real Mac.
# At a release, "url" and "sha256" become those of the source distribution.
class Benchdb < Formula
  include Language::Python::Virtualenv

  desc "Measure, collect and compare the speed of machine learning"
  homepage "https://example.org/benchdb"
  url "https://example.org/benchdb-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "python@3.13"

  # Dependencies come as wheels, which Homebrew's own collection does not allow: NumPy and
  # pandas from source would take an hour. Frameworks stay outside; doctor says how to add one.
  def install
    virtualenv_create(libexec, "python3.13", without_pip: false)
    system libexec/"bin/python", "-m", "pip", "install", "--quiet", "#{buildpath}[apple,numpy]"
    bin.install_symlink libexec/"bin/benchdb"
    man1.install "packaging/benchdb.1"
  end

  test do
    system bin/"benchdb", "report", "--lang", "de", "--format", "snippet", "-o", testpath
    assert_path_exists testpath/"report.de.snippet.md"
  end
end
