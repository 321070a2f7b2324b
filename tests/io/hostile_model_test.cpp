// Model files that are wrong, or mean harm.

#include "imported.h"
#include "scratch_folder.h"
#include "talus/core/error.h"

namespace talus::test {
namespace {

const std::string heavy =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";

std::string robot(const std::string& content) {
  return "<robot name='r'>\n" + content + "</robot>\n";
}

TEST(HostileModels, AreRefusedWithTheirPlace) {
  const std::string geometry = "<collision><geometry>\n";
  struct Case {
    std::string file, text, message;
  };
  const std::vector<Case> cases = {
      {"m.urdf", "", "m.urdf:1: not valid XML"},
      {"m.urdf", "<robot><link name='a'>", "m.urdf:1: not valid XML"},
      {"m.urdf", "<sdf/>", "m.urdf:1: the file begins with <sdf>, <robot> was expected"},
      {"m.urdf", robot(""), "the robot has no links"},
      {"m.urdf",
       "<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>\n<robot><link name='&b;'/></robot>",
       "m.urdf:1: a document type"},
      {"m.urdf", robot("<link name='a'/><link name='a'/>"),
       "m.urdf:2: link 'a': the name is taken"},
      {"m.urdf", robot("<link name='a'/>\n<link name='b'/>"), "m.urdf:3: the links 'a' and 'b'"},
      {"m.urdf",
       robot("<link name='a'>" + heavy +
             "</link>\n<joint name='j' type='fixed'><parent "
             "link='a'/>\n<child link='c'/></joint>"),
       "m.urdf:4: child 'c': there is no link 'c'"},
      {"m.urdf",
       robot(
           "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child "
           "link='b'/></joint><joint name='k' type='fixed'><parent link='b'/><child "
           "link='a'/></joint>"),
       "form a loop"},
      {"m.urdf",
       robot("<link name='a'/><link name='b'/><link name='c'/><joint name='j' type='fixed'><parent "
             "link='b'/><child link='c'/></joint><joint name='k' type='fixed'><parent "
             "link='c'/><child link='b'/></joint>"),
       "form a loop"},
      {"m.urdf",
       robot("<link name='world'/><link name='a'/>\n<joint name='j' type='continuous'>"
             "<parent link='world'/><child link='a'/></joint>"),
       "m.urdf:2: link 'a' moves, but neither it nor"},
      {"m.urdf", robot("<link name='a'><inertial>\n<mass value='-1'/><inertia/></inertial></link>"),
       "m.urdf:3: mass: the mass is -1"},
      {"m.urdf",
       robot("<link name='a'><inertial><mass\nvalue='1e999'/><inertia/></inertial></link>"),
       "m.urdf:3: mass: value: '1e999' is not a finite number"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<box size='1 2'/></geometry>"
             "</collision></link>"),
       "m.urdf:3: box: size has 2 numbers, 3 were expected"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<sphere radius='-2'/></geometry>"
             "</collision></link>"),
       "m.urdf:3: sphere: radius is -2"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<mesh filename='none.stl'/></geometry>"
             "</collision></link>"),
       "cannot be read"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<mesh filename='../../../etc/passwd.stl'/></geometry></collision></link>"),
       "m.urdf:3: '../../../etc/passwd.stl' lies outside the model's folder"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<mesh filename='file:///etc/passwd.obj'/></geometry></collision></link>"),
       "lies outside the model's folder"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<mesh filename='package://../passwd.obj'/></geometry></collision></link>"),
       "names no file of a package"},
      {"m.urdf",
       robot("<link name='a'>" + heavy + geometry +
             "<mesh filename='http://x/y.obj'/></geometry></collision></link>"),
       "only files, file:// and package://"},
      {"m.urdf",
       robot("<link name='world'/><link name='a'>" + heavy +
             "</link><joint name='j' type='continuous'><parent link='world'/><child "
             "link='a'/><mimic joint='j'/></joint>"),
       "m.urdf:2: joint 'j' mimics itself"},
      // Consistent, but nothing leads.
      {"m.urdf",
       robot("<link name='world'/><link name='a'>" + heavy + "</link><link name='b'>" + heavy +
             "</link><joint name='j' type='continuous'><parent link='world'/><child link='a'/>"
             "\n<mimic joint='k'/></joint><joint name='k' type='continuous'><parent "
             "link='world'/><child link='b'/><mimic joint='j'/></joint>"),
       "m.urdf:3: joint 'j' mimics itself, by way of 'k'"},
      {"m.xml", "<mujoco><include file='m.xml'/></mujoco>", "in a circle"},
      {"m.xml", "<mujoco><include file='../other.xml'/></mujoco>", "lies outside"},
      {"m.xml", "<mujoco><worldbody><body>\n<joint/></body></worldbody></mujoco>",
       "moves, but neither it nor a link welded"},
      {"m.xml", "<mujoco><worldbody>\n<body><geom class='x' size='1'/></body></worldbody></mujoco>",
       "m.xml:2: geom 'x': there is no default class 'x'"},
      {"m.xml", "<mujoco><worldbody>\n<geom type='blob' size='1'/></worldbody></mujoco>",
       "m.xml:2: geom: unknown type 'blob'"},
      {"m.xml", "<mujoco><worldbody><geom type='mesh' mesh='x'/></worldbody></mujoco>",
       "there is no mesh 'x'"},
      {"m.xml", "<mujoco><compiler coordinate='global'/></mujoco>", "global coordinates"},
      {"m.xml",
       "<mujoco><worldbody><body><freejoint/><joint/><geom size='1'/></body></worldbody></mujoco>",
       "a free body has no other joints"},
      {"m.xml", "<mujoco><equality><connect body1='a' anchor='0 0 0'/></equality></mujoco>",
       "there is no body 'a'"},
      {"m.xml", "<mujoco><actuator><motor joint='a'/></actuator></mujoco>",
       "there is no joint 'a'"},
  };
  for (const auto& [file, text, message] : cases) {
    const std::string error = error_of(file, text);
    EXPECT_NE(error, "") << text;
    EXPECT_NE(error.find(message), std::string::npos) << text << "\n  gave: " << error;
  }
}

/// Also where the model is named without a folder.
TEST(HostileModels, MissingMeshesOfAModelInTheWorkingFolderAreNamed) {
  const ScratchFolder folder;
  folder.write("m.urdf", robot("<link name='a'>" + heavy +
                               "<collision><geometry>\n<mesh "
                               "filename='none.stl'/></geometry></collision></link>"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  std::string message;
  try {
    import_model("m.urdf");
  } catch (const Error& error) {
    message = error.what();
  }
  std::filesystem::current_path(before);
  EXPECT_NE(message.find("m.urdf:3: the file none.stl cannot be read"), std::string::npos)
      << message;
}

TEST(HostileModels, DeepAndTruncatedFilesEnd) {
  std::string deep = "<robot>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_NE(error_of("m.urdf", deep + "</robot>").find("nested more than"), std::string::npos);
  std::string bodies = "<mujoco><worldbody>";
  for (int i = 0; i < 5000; ++i) bodies += "<body><geom size='1'/>";
  for (int i = 0; i < 5000; ++i) bodies += "</body>";
  EXPECT_NE(error_of("m.xml", bodies + "</worldbody></mujoco>"), "");
  // Every beginning of a good file is refused.
  std::ifstream file(model_folder() + "arm.urdf", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (std::size_t length = 0; length + 9 < text.size(); length += 97)
    EXPECT_NE(error_of("m.urdf", text.substr(0, length)), "") << length;
}

} // namespace
} // namespace talus::test
