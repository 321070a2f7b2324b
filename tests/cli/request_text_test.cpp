// Where requests end and which hosts they name.

#include "server/request_text.h"

#include <gtest/gtest.h>

namespace talus::cli {
namespace {

const std::vector<std::string> local = {"localhost", "127.0.0.1", "[::1]"};

bool names_local(const std::string& host) {
  return names_host("GET / HTTP/1.1\r\nAccept: */*\r\nHost: " + host + "\r\n\r\n", local);
}

TEST(RequestText, finds_the_end_of_the_header) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\nrest\r\n\r\n";
  const std::size_t end = text.size() - 8;
  EXPECT_EQ(header_length(text), end);
  for (std::size_t known = 0; known < end; ++known) {
    EXPECT_EQ(header_length(text.substr(0, known)), 0u);
    EXPECT_EQ(header_length(text, known), end);
  }
  EXPECT_EQ(header_length(""), 0u);
  EXPECT_EQ(header_length("\r\n\r\n"), 4u);
}

TEST(RequestText, reads_header_lines) {
  const std::string header = "GET / HTTP/1.1\r\nA:1\r\na \t:  two words \t\r\nB: x:y\r\nC\r\n\r\n";
  EXPECT_EQ(header_values(header, "a"), (std::vector<std::string_view>{"1", "two words"}));
  EXPECT_EQ(header_values(header, "b"), (std::vector<std::string_view>{"x:y"}));
  EXPECT_TRUE(header_values(header, "c").empty());
}

TEST(RequestText, takes_plain_lengths_of_bodies_only) {
  EXPECT_EQ(body_length("GET /\r\n\r\n"), 0u);
  EXPECT_EQ(body_length("POST /\r\ncontent-LENGTH:  12\r\n\r\n"), 12u);
  for (const char* lines :
       {"Content-Length: -1", "Content-Length: +1", "Content-Length: 0x10",
        "Content-Length:", "Content-Length: 1, 1", "Content-Length: 99999999999999999999999",
        "Content-Length: 1\r\nContent-Length: 1", "Transfer-Encoding: chunked"})
    EXPECT_FALSE(body_length("POST /\r\n" + std::string(lines) + "\r\n\r\n")) << lines;
}

TEST(RequestText, admits_the_names_with_and_without_port) {
  for (const char* host : {"localhost", "localhost:1", "LocalHost:8080", "127.0.0.1",
                           "127.0.0.1:65535", "[::1]", "[::1]:80"})
    EXPECT_TRUE(names_local(host)) << host;
}

TEST(RequestText, refuses_everything_else) {
  for (const char* host : {"",
                           ":",
                           ":80",
                           "example.org",
                           "localhost.evil.com",
                           "localhost.",
                           "localhost:",
                           "localhost:0",
                           "localhost:65536",
                           "localhost:99999999999999999999",
                           "localhost:+80",
                           "localhost:-80",
                           "localhost:80x",
                           "localhost:0x50",
                           "localhost:80:80",
                           "localhost: 80",
                           "localhost :80",
                           "localhost:1@evil.com",
                           "localhost@evil.com",
                           "evil.com@localhost",
                           "user@localhost",
                           "user:word@localhost:80",
                           "localhost/evil.com",
                           "localhost#evil.com",
                           "localhost,evil.com",
                           "localhost evil.com",
                           "evil.com localhost",
                           "localhost%2eevil.com",
                           "local%68ost",
                           "xlocalhost",
                           "127.0.0.1.evil.com",
                           "127.0.0.1.",
                           "127.evil.example.org:80",
                           "127.0.0.10",
                           "127.0.0.2",
                           "127.1",
                           "127.0.0.01",
                           "0x7f.0.0.1",
                           "2130706433",
                           "0.0.0.0",
                           "0",
                           "127.0.0.1:80@evil.com",
                           "[::1].evil.com",
                           "[::1]evil.com",
                           "[::1]evil.com:80",
                           "[::1]:evil",
                           "[::1]:80.evil.com",
                           "[::1",
                           "::1",
                           "::1]",
                           "[]",
                           "[::1]]",
                           "[::1%25lo]",
                           "[0:0:0:0:0:0:0:1]",
                           "[::ffff:127.0.0.1]",
                           "[::2]",
                           "[[::1]]",
                           "[localhost]"})
    EXPECT_FALSE(names_local(host)) << host;
}

TEST(RequestText, wants_one_host) {
  EXPECT_FALSE(names_host("GET / HTTP/1.1\r\n\r\n", local));
  for (const char* lines :
       {"Host: localhost\r\nHost: evil.com", "Host: evil.com\r\nhost: localhost",
        "Host: localhost\r\nHost : evil.com", "Host: localhost\r\nHost: localhost",
        "Host: localhost\nHost: evil.com"})
    EXPECT_FALSE(names_host("GET / HTTP/1.1\r\n" + std::string(lines) + "\r\n\r\n", local))
        << lines;
}

} // namespace
} // namespace talus::cli
